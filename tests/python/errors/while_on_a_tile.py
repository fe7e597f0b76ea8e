from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def halve(x: ph.tensor[ph.f32][N]):
    t = x[0:+64]
    while t > 1:
        t = t / 2
    x[0:+64] = t


# $ phobosc while_on_a_tile.py
# while_on_a_tile.py:9:11: error: expected a scalar condition for `while`, got a tile bool[64]
#         while t > 1:
#               ^~~~~
# hint: choose element by element with ph.where(condition, x, y), or reduce the condition with ph.any or ph.all
# exit status 1
