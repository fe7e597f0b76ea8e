from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
    x[0:+64] = x[0:+64] * alpha


def launch():
    scale[1](np.zeros(257, np.uint8)[1:].view(np.float32), 2.0)


# >>> launch()
# phobos.LaunchError: array_misaligned.py:9:11: error: argument `x`: expected an address that is a multiple of 4 bytes, the size of f32, got one 1 byte past it
#     def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
#               ^
# hint: pass a copy
