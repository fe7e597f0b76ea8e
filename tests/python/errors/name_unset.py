from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    start = ph.ctx.block.x * BLOCK
    x[start:+64] = x[start:+64] * 2.0


# $ phobosc name_unset.py
# name_unset.py:8:30: error: `BLOCK` is not defined
#         start = ph.ctx.block.x * BLOCK
#                                  ^~~~~
# exit status 1
