from __future__ import annotations

import numpy as np

import phobos.lang as ph


def launch():
    ph.zeros((4, 4))


# >>> launch()
# TypeError: ph.zeros means something in a kernel only; Python never runs kernels. Is `@ph.kernel` or `@ph.fn` missing?
