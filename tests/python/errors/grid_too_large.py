from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
    x[0:+64] = x[0:+64] * alpha


def launch():
    scale[1, 100000](np.ones(64, np.float32), 2.0)


# >>> launch()
# phobos.LaunchError: grid_too_large.py:9:5: error: grid of kernel `scale`: expected 0 to 65535 blocks along y, got 100000
#     def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
#         ^~~~~
# hint: put the longest axis of the grid first: x takes 2147483647
