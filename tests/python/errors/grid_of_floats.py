from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
    x[0:+64] = x[0:+64] * alpha


def launch():
    scale[(1.0, 1)](np.ones(64, np.float32), 2.0)


# >>> launch()
# TypeError: grid: expected ints, got float along axis 0
