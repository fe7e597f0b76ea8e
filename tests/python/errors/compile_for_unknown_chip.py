from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def zero(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


def launch():
    zero.compile(arch="sm_99")


# >>> launch()
# phobos.CompileError: error: unknown chip 'sm_99'; expected one of sm_75, sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_103a, sm_120a
