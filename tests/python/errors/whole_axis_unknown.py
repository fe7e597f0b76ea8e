# A whole row, as NumPy has it; its length is known at launch only.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def fill(x: ph.tensor[ph.f32][M, N]):
    x[ph.ctx.block.x, :] = 0.0


# $ phobosc whole_axis_unknown.py
# whole_axis_unknown.py:9:23: error: `:` takes a whole axis, but the extent `N` of `x` is known only at launch
#         x[ph.ctx.block.x, :] = 0.0
#                           ^
# hint: take a span of static length: start:+LENGTH
# exit status 1
