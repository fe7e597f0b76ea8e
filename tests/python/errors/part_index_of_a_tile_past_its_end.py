from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def last(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][1]):
    t = x[0:+64]
    y[0] = t[64]


# $ phobosc part_index_of_a_tile_past_its_end.py
# part_index_of_a_tile_past_its_end.py:9:14: error: index 64 is out of range for an extent of 64
#         y[0] = t[64]
#                  ^~
# exit status 1
