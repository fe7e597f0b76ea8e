from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def shift(x: ph.tensor[ph.i32][N], by: ph.i32):
    x[0:+64] = x[0:+64] + by


def launch():
    shift[1](np.ones(64, np.int32), 1 << 40)


# >>> launch()
# phobos.LaunchError: scalar_int_too_large.py:9:36: error: argument `by`: expected an int that fits i32 (-2147483648 to 2147483647), got 1099511627776
#     def shift(x: ph.tensor[ph.i32][N], by: ph.i32):
#                                        ^~
