from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def add(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N]):
    x[0:+64] + y[0:+64]


# $ phobosc expression_without_effect.py
# expression_without_effect.py:8:5: error: this expression has no effect
#         x[0:+64] + y[0:+64]
#         ^~~~~~~~~~~~~~~~~~~
# hint: assign it to a name, or remove it
# exit status 1
