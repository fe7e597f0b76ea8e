from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def shift(x: ph.tensor[ph.i32][N], by: ph.i32):
    x[0:+64] = x[0:+64] + by


def launch():
    shift[1](np.ones(64, np.int32), 2.5)


# >>> launch()
# phobos.LaunchError: scalar_float_for_an_int.py:9:36: error: argument `by`: expected an int (i32), got the float 2.5
#     def shift(x: ph.tensor[ph.i32][N], by: ph.i32):
#                                        ^~
