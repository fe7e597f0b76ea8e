from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
    x[0:+64] = x[0:+64] * alpha


def launch():
    scale[1](np.zeros(64, ">f4"), 2.0)


# >>> launch()
# phobos.LaunchError: array_big_endian.py:9:11: error: argument `x`: expected an array of f32, got a value of type numpy.ndarray with dtype >f4
#     def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
#               ^
