from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def zero(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


def launch():
    zero[1](np.ones(64, np.float32), stream="fast")


# >>> launch()
# TypeError: stream: expected an int, a torch.cuda.Stream or a cupy.cuda.Stream, got str
