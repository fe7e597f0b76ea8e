from __future__ import annotations

import numpy as np

import phobos.lang as ph

SHAPE = [64, 2]


@ph.kernel
def zero(x: ph.tensor[ph.f32][N]):
    x[0:+SHAPE[0]] = 0.0


def launch():
    zero[1](np.ones(64, np.float32))


# >>> launch()
# phobos.CompileError: captured_list.py:11:5: error: `SHAPE` is a value of type list; a kernel sees int, float, bool, dtype and tuples of them from around it
#     def zero(x: ph.tensor[ph.f32][N]):
#         ^~~~
# hint: make it a tuple
