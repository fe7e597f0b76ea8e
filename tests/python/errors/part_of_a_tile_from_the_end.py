from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def last(x: ph.tensor[ph.f32][N]):
    t = x[0:+64]
    x[0:+2] = t[-2:]


# $ phobosc part_of_a_tile_from_the_end.py
# part_of_a_tile_from_the_end.py:9:17: error: a negative start does not count from the end
#         x[0:+2] = t[-2:]
#                     ^~
# hint: write the extent out
# exit status 1
