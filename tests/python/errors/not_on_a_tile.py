from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def clip(x: ph.tensor[ph.f32][N]):
    t = x[0:+64]
    x[0:+64] = ph.where(not t > 0, 0.0, t)


# $ phobosc not_on_a_tile.py
# not_on_a_tile.py:9:25: error: `not` takes a scalar, got a tile bool[64]
#         x[0:+64] = ph.where(not t > 0, 0.0, t)
#                             ^~~~~~~~~
# hint: write ~ for each element of a tile
# exit status 1
