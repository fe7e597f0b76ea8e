from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def halves(x: ph.tensor[ph.f32][N]):
    t = x[0:+64]
    x[0:+32] = t[0:+32]


# $ phobosc slice_of_a_tile.py
# slice_of_a_tile.py:9:18: error: a part of a tile is not supported yet
#         x[0:+32] = t[0:+32]
#                      ^~~~~
# hint: slice the tensor instead; on a tile only `:` and `None` are understood, as in t[:, None]
# exit status 1
