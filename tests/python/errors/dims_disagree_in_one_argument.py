from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def trace(x: ph.tensor[ph.f32][N, N]):
    x[0, 0] = x[N - 1, N - 1]


def launch():
    trace[1](np.ones((8, 9), np.float32))


# >>> launch()
# phobos.LaunchError: dims_disagree_in_one_argument.py:9:11: error: argument `x`: expected extent 8 along axis 1 (dim `N`), got 9
#     def trace(x: ph.tensor[ph.f32][N, N]):
#               ^
# dims_disagree_in_one_argument.py:9:11: note: dim `N` is 8 along axis 0 of argument `x`
#     def trace(x: ph.tensor[ph.f32][N, N]):
#               ^
