# Clipping to the extent is not needed: what lies outside is not stored.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def fill(x: ph.tensor[ph.f32][N]):
    start = ph.ctx.block.x * 64
    x[start:min(start + 64, N)] = 0.0


# $ phobosc slice_stop_clipped.py
# slice_stop_clipped.py:10:7: error: the length of this slice is not known when the kernel is compiled
#         x[start:min(start + 64, N)] = 0.0
#           ^~~~~~~~~~~~~~~~~~~~~~~~
# hint: take a span of static length: start:+LENGTH
# exit status 1
