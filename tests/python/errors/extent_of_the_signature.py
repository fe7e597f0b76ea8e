from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def last(x: ph.tensor[ph.f32][M, 3]):
    x[0, :] = x[1, :]


def launch():
    last[1](np.ones((8, 4), np.float32))


# >>> launch()
# phobos.LaunchError: extent_of_the_signature.py:9:10: error: argument `x`: expected extent 3 along axis 1, got 4
#     def last(x: ph.tensor[ph.f32][M, 3]):
#              ^
