from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
    x[0:+64] = x[0:+64] * alpha


def launch():
    scale[1](np.ones((8, 8), np.float32), 2.0)


# >>> launch()
# phobos.LaunchError: array_of_rank_2.py:9:11: error: argument `x`: expected rank 1 [N], got rank 2 with shape (8, 8)
#     def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
#               ^
