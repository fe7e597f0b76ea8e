from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
@ph.autotune(TILE=[32, 64], when="TILE < 100")
def zero(x: ph.tensor[ph.f32][N]):
    x[0:+TILE] = 0.0


def launch():
    zero[1](np.ones(64, np.float32), TILE=128)


# >>> launch()
# phobos.CompileError: tuned_when_not_this.py:10:5: error: no combination of the tuned constants of kernel `zero` satisfies its `when`: TILE < 100, where TILE = 128
#     def zero(x: ph.tensor[ph.f32][N]):
#         ^~~~
