from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def relu(x: ph.tensor[ph.f32][N], flag: ph.const[bool]):
    if flag:
        x[0:+64] = 0.0


def launch():
    relu[1](np.ones(64, np.float32), np.ones(1))


# >>> launch()
# phobos.LaunchError: const_an_array.py:9:35: error: argument `flag`: expected a compile-time constant (bool), got an array
#     def relu(x: ph.tensor[ph.f32][N], flag: ph.const[bool]):
#                                       ^~~~
