from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def add(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N]):
    return x[0:+64] + y[0:+64]


# $ phobosc kernel_returns_a_value.py
# kernel_returns_a_value.py:8:12: error: a kernel returns nothing
#         return x[0:+64] + y[0:+64]
#                ^~~~~~~~~~~~~~~~~~~
# hint: store results in a tensor parameter
# exit status 1
