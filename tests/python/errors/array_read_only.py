from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
    x[0:+64] = x[0:+64] * alpha


def launch():
    scale[1](np.frombuffer(b"abcd" * 64, np.float32), 2.0)


# >>> launch()
# phobos.LaunchError: array_read_only.py:9:11: error: argument `x`: expected an array that may be stored to, got a read-only one
#     def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
#               ^
# array_read_only.py:10:5: note: the kernel stores to it
#         x[0:+64] = x[0:+64] * alpha
#         ^
# hint: pass a copy that may be written
