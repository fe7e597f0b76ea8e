from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def first(x: ph.tensor[ph.f32][N], n: ph.i32):
    t = x[0:+64]
    x[0:+2] = t[:n]


# $ phobosc part_of_a_tile_of_unknown_length.py
# part_of_a_tile_of_unknown_length.py:9:17: error: the length of this slice is not known when the kernel is compiled
#         x[0:+2] = t[:n]
#                     ^~
# hint: take a span of static length: start:+LENGTH
# exit status 1
