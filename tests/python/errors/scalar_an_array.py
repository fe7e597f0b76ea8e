from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
    x[0:+64] = x[0:+64] * alpha


def launch():
    scale[1](np.ones(64, np.float32), np.ones(3, np.float32))


# >>> launch()
# phobos.LaunchError: scalar_an_array.py:9:36: error: argument `alpha`: expected a number (f32), got an array
#     def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
#                                        ^~~~~
# hint: pass a Python number, such as the array's .item()
