# Kernels are compiled from their text, and this one has no file.
from __future__ import annotations

import numpy as np

import phobos.lang as ph


def launch():
    scope = {"ph": ph}
    exec("@ph.kernel\ndef zero(x: 'ph.tensor[ph.f32][N]'):\n    x[0:+64] = 0.0\n", scope)
    scope["zero"][1](np.ones(64, np.float32))


# >>> launch()
# phobos.CompileError: <string>:1: error: the source of kernel `zero` cannot be read
# hint: kernels are compiled from their text; put the kernel in a file or a notebook cell
