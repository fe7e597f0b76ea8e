from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def permute(x: ph.tensor[ph.f32][64], order: ph.tensor[ph.i32][64]):
    t = x[:]
    x[:] = t[order[:]]


# $ phobosc part_of_a_tile_by_a_tile.py
# part_of_a_tile_by_a_tile.py:9:14: error: an index of a tile that is a tile is not supported yet
#         x[:] = t[order[:]]
#                  ^~~~~~~~
# hint: store the tile to a tensor, which can be gathered from
# exit status 1
