from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def zero(x: ph.tensor[ph.f32][N]):
    x[ph.ctx.block] = 0.0
    x[ph.ctx.block[0]] = 0.0


# $ phobosc context_without_axis.py
# context_without_axis.py:8:7: error: expected a number or a tile as an index, got `ph.ctx.block`
#         x[ph.ctx.block] = 0.0
#           ^~~~~~~~~~~~
# hint: write `ph.ctx.block.x`
# context_without_axis.py:9:7: error: `ph.ctx.block` cannot be subscripted
#         x[ph.ctx.block[0]] = 0.0
#           ^~~~~~~~~~~~~~~
# hint: write `ph.ctx.block.x`
# exit status 1
