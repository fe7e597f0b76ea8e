from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def fill(x: ph.tensor[ph.f16][N], value: ph.f16):
    x[0:+64] = value


def launch():
    fill[1](np.zeros(64, np.float16), 1e5)


# >>> launch()
# phobos.LaunchError: scalar_too_large_for_f16.py:9:35: error: argument `value`: expected a number that fits f16, got 100000
#     def fill(x: ph.tensor[ph.f16][N], value: ph.f16):
#                                       ^~~~~
# hint: float("inf") is infinity
