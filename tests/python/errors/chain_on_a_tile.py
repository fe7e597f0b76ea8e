from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def clip(x: ph.tensor[ph.f32][N]):
    t = x[0:+64]
    x[0:+64] = ph.where(0 < t < 1, t, 0.0)


# $ phobosc chain_on_a_tile.py
# chain_on_a_tile.py:9:25: error: a chain of comparisons takes scalars, got a tile bool[64]
#         x[0:+64] = ph.where(0 < t < 1, t, 0.0)
#                             ^~~~~~~~~
# hint: write (a < b) & (b < c)
# exit status 1
