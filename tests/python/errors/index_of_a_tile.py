from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def gather(x: ph.tensor[ph.f32][N], index: ph.tensor[ph.i32][64], y: ph.tensor[ph.f32][64]):
    y[:] = x[index[:]]


# $ phobosc index_of_a_tile.py
# index_of_a_tile.py:8:14: error: an index that is a tile (a gather) is not supported yet
#         y[:] = x[index[:]]
#                  ^~~~~~~~
# hint: load spans, or one element in a loop
# exit status 1
