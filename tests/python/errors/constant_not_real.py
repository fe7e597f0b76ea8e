from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def root(x: ph.tensor[ph.f32][N]):
    x[0] = (-8) ** 0.5


# $ phobosc constant_not_real.py
# constant_not_real.py:8:12: error: a negative number to a power that is no whole number is not real
#         x[0] = (-8) ** 0.5
#                ^~~~~~~~~~~
# exit status 1
