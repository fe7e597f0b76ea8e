from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
    x[0:+64] = x[0:+64] * alpha


def launch():
    records = np.zeros(64, [("flag", np.uint8), ("value", np.float32)])
    scale[1](records["value"], 2.0)


# >>> launch()
# phobos.LaunchError: array_field_of_records.py:9:11: error: argument `x`: expected an array of f32, got a value of type numpy.ndarray with dtype float32 and strides that are no whole elements
#     def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
#               ^
