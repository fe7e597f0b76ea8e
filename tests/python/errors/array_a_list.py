from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
    x[0:+64] = x[0:+64] * alpha


def launch():
    scale[1]([1.0] * 64, 2.0)


# >>> launch()
# phobos.LaunchError: array_a_list.py:9:11: error: argument `x`: expected an array of f32, got a value of type list
#     def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
#               ^
