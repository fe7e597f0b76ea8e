from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
@ph.aligned(N=64)
def zero(x: ph.tensor[ph.f32][N]):
    x[ph.ctx.block.x * 64:+64] = 0.0


def launch():
    zero[2](np.ones(100, np.float32))


# >>> launch()
# phobos.LaunchError: promise_broken.py:10:10: error: argument `x`: expected dim `N` to be a multiple of 64, got 100
#     def zero(x: ph.tensor[ph.f32][N]):
#              ^
# note: `@ph.aligned` promises it, and the kernel has no masks along it
# hint: pad the array, or leave `N` out of `@ph.aligned`
