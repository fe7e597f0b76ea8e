from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
    x[0:+64] = x[0:+64] * alpha


def launch():
    scale[1](np.array(1.0, np.float32), 2.0)


# >>> launch()
# phobos.LaunchError: array_of_rank_0.py:9:11: error: argument `x`: expected rank 1 [N], got rank 0 with shape ()
#     def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
#               ^
