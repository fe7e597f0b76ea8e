# In NumPy the slice ends with the array; here a tile has a static length, and the span's end may lie outside.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def fill(x: ph.tensor[ph.f32][N]):
    start = ph.ctx.block.x * 64
    x[start:] = 0.0


# $ phobosc slice_of_the_rest.py
# slice_of_the_rest.py:10:7: error: the length of this slice is not known when the kernel is compiled
#         x[start:] = 0.0
#           ^~~~~~
# hint: take a span of static length: start:+LENGTH
# exit status 1
