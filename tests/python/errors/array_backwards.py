from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
    x[0:+64] = x[0:+64] * alpha


def launch():
    scale[1](np.ones(64, np.float32)[::-1], 2.0)


# >>> launch()
# phobos.LaunchError: array_backwards.py:9:11: error: argument `x`: expected strides of at least 0, got -1 along axis 0
#     def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
#               ^
# hint: pass a contiguous copy
