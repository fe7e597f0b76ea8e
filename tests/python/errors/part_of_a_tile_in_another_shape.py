from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def fill(x: ph.tensor[ph.f32][N]):
    t: ph.var = x[0:+64]
    t[0:8] = x[0:+16]
    x[0:+64] = t


# $ phobosc part_of_a_tile_in_another_shape.py
# part_of_a_tile_in_another_shape.py:9:14: error: a tile of shape [16] cannot be stored to a slice of shape [8]
#         t[0:8] = x[0:+16]
#                  ^~~~~~~~
# part_of_a_tile_in_another_shape.py:9:5: note: the slice
#         t[0:8] = x[0:+16]
#         ^~~~~~
# exit status 1
