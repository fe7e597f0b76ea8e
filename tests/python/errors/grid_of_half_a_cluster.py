from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
@ph.cluster(2)
def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
    x[ph.ctx.block.x * 64:+64] = alpha


def launch():
    scale[3](np.ones(192, np.float32), 2.0)


# >>> launch()
# phobos.LaunchError: grid_of_half_a_cluster.py:10:5: error: grid of kernel `scale`: expected a multiple of 2 blocks along x, which `@ph.cluster` asks for, got 3
#     def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
#         ^~~~~
# hint: blocks beyond the tensors read zeros and store nothing: round the grid up
