from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def relu(x: ph.tensor[ph.f32][N]):
    t = x[0:+64]
    if t > 0:
        x[0:+64] = t
    else:
        x[0:+64] = 0.0


# $ phobosc branch_on_a_tile.py
# branch_on_a_tile.py:9:8: error: expected a scalar condition for `if`, got a tile bool[64]
#         if t > 0:
#            ^~~~~
# hint: choose element by element with ph.where(condition, x, y), or reduce the condition with ph.any or ph.all
# exit status 1
