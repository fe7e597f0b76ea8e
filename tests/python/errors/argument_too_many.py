from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
    x[0:+64] = x[0:+64] * alpha


def launch():
    x = np.ones(64, np.float32)
    scale[1](x, 2.0, x.size)


# >>> launch()
# phobos.LaunchError: argument_too_many.py:9:5: error: kernel `scale` takes 2 arguments, got 3
#     def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
#         ^~~~~
