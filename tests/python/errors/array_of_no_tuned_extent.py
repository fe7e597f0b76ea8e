from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
@ph.autotune(TILE=[64, 128])
def negate(x: ph.tensor[ph.f32][TILE]):
    x[:] = -x[:]


def launch():
    negate[1](np.zeros(128, np.float32))
    negate[1](np.zeros(100, np.float32))


# >>> launch()
# phobos.LaunchError: array_of_no_tuned_extent.py:10:12: error: argument `x`: expected extent 64 along axis 0, got 100
#     def negate(x: ph.tensor[ph.f32][TILE]):
#                ^
