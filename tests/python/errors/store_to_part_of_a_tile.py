# A tile is a value, not memory.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    t = x[0:+64]
    t[0] = 1.0
    x[0:+64] = t


# $ phobosc store_to_part_of_a_tile.py
# store_to_part_of_a_tile.py:10:7: error: a part of a tile is not supported yet
#         t[0] = 1.0
#           ^
# hint: slice the tensor instead; on a tile only `:` and `None` are understood, as in t[:, None]
# exit status 1
