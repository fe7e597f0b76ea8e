from __future__ import annotations

import numpy as np

import phobos.lang as ph

BIG = 1 << 70


@ph.kernel
def fill(x: ph.tensor[ph.f32][N]):
    x[0:+64] = BIG


def launch():
    fill[1](np.zeros(64, np.float32))


# >>> launch()
# phobos.CompileError: captured_int_too_large.py:11:5: error: `BIG` is an int of more than 64 bits; a kernel sees int, float, bool, dtype and tuples of them from around it
#     def fill(x: ph.tensor[ph.f32][N]):
#         ^~~~
