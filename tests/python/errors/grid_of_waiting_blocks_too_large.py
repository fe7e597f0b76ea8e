from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def kernel(x: ph.tensor[ph.f32][N]):
    x[ph.ctx.block.x] = 1.0
    ph.grid_barrier()


def launch():
    kernel[100_000](np.zeros(100_000, dtype=np.float32))


# >>> launch()
# phobos.LaunchError: grid_of_waiting_blocks_too_large.py:9:5: error: grid of kernel `kernel`: expected at most 512 blocks, which the device holds at once, got 100000
#     def kernel(x: ph.tensor[ph.f32][N]):
#         ^~~~~~
# hint: blocks wait for each other at ph.grid_barrier: launch fewer, each with a loop over its tiles
