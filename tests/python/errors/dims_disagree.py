from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def copy(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N]):
    y[0:+64] = x[0:+64]


def launch():
    copy[1](np.ones(64, np.float32), np.ones(65, np.float32))


# >>> launch()
# phobos.LaunchError: dims_disagree.py:9:35: error: argument `y`: expected extent 64 along axis 0 (dim `N`), got 65
#     def copy(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N]):
#                                       ^
# dims_disagree.py:9:10: note: dim `N` is 64 along axis 0 of argument `x`
#     def copy(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N]):
#              ^
