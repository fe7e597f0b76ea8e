from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
    x[0:+64] = x[0:+64] * alpha


def launch():
    scale[1](np.ones(64, np.float32), alpha=2.0, num_warps=4)


# >>> launch()
# phobos.LaunchError: argument_unknown.py:9:5: error: kernel `scale` has no argument `num_warps`
#     def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
#         ^~~~~
# hint: it takes x, alpha, stream
