from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def relu(x: ph.tensor[ph.f32][N], flag: ph.bool):
    if flag:
        x[0:+64] = 0.0


def launch():
    relu[1](np.ones(64, np.float32), 2)


# >>> launch()
# phobos.LaunchError: scalar_2_for_a_bool.py:9:35: error: argument `flag`: expected True or False
#     def relu(x: ph.tensor[ph.f32][N], flag: ph.bool):
#                                       ^~~~
