from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.fn
def add_one(y):
    ph.atomic_add(y[0:+64], 1.0)


@ph.kernel
def count(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N]):
    if ph.any(x[0:+64] > 0.0):
        add_one(y)


def launch():
    ones = np.broadcast_to(np.float32(1), 64)
    count[1](ones, ones)


# >>> launch()
# phobos.LaunchError: array_broadcast.py:14:36: error: argument `y`: expected an array that may be stored to, got a read-only one
#     def count(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N]):
#                                        ^
# array_broadcast.py:16:9: note: the kernel stores to it
#             add_one(y)
#             ^
# hint: pass a copy that may be written
