from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
    x[0:+64] = x[0:+64] * alpha


def launch():
    scale[1](np.ones(64, np.float32), "2")


# >>> launch()
# phobos.LaunchError: scalar_a_string.py:9:36: error: argument `alpha`: expected a number (f32), got a value of type str
#     def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
#                                        ^~~~~
