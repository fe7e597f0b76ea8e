from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
    x[0:+64] = x[0:+64] * alpha


def launch():
    x = np.ones(64, np.float32)
    scale[x.size / 64](x, 2.0)


# >>> launch()
# TypeError: grid: expected an int, a tuple of one to three ints, or a callable that returns one; got float
