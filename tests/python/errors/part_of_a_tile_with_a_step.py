from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def evens(x: ph.tensor[ph.f32][N]):
    t = x[0:+64]
    x[0:+32] = t[::2]


# $ phobosc part_of_a_tile_with_a_step.py
# part_of_a_tile_with_a_step.py:9:20: error: a slice with a step is not supported
#         x[0:+32] = t[::2]
#                        ^
# hint: ph.split takes every other element apart
# exit status 1
