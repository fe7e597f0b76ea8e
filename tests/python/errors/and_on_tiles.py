from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def clip(x: ph.tensor[ph.f32][N]):
    t = x[0:+64]
    x[0:+64] = ph.where(t > 0 and t < 1, t, 0.0)


# $ phobosc and_on_tiles.py
# and_on_tiles.py:9:25: error: `and` takes scalars, got a tile bool[64]
#         x[0:+64] = ph.where(t > 0 and t < 1, t, 0.0)
#                             ^~~~~
# hint: write & between tiles, with parentheses around comparisons
# exit status 1
