from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[ph.ctx.block.w] = 0.0


# $ phobosc context_axis.py
# context_axis.py:8:7: error: `ph.ctx.block.w` is not known
#         x[ph.ctx.block.w] = 0.0
#           ^~~~~~~~~~~~~~
# hint: did you mean `ph.ctx.block.x`?
# exit status 1
