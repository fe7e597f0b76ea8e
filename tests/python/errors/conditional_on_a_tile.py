from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def relu(x: ph.tensor[ph.f32][N]):
    t = x[0:+64]
    x[0:+64] = t if t > 0 else 0.0


# $ phobosc conditional_on_a_tile.py
# conditional_on_a_tile.py:9:21: error: expected a scalar condition for `if` in an expression, got a tile bool[64]
#         x[0:+64] = t if t > 0 else 0.0
#                         ^~~~~
# hint: choose element by element with ph.where(condition, x, y), or reduce the condition with ph.any or ph.all
# exit status 1
