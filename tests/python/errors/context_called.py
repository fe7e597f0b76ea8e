from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[ph.ctx.block.x()] = 0.0


# $ phobosc context_called.py
# context_called.py:8:7: error: a scalar index cannot be called
#         x[ph.ctx.block.x()] = 0.0
#           ^~~~~~~~~~~~~~
# exit status 1
