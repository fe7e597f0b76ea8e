from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.fn
def double(t):
    return t * 2.0


def launch():
    double(np.ones(64, np.float32))


# >>> launch()
# TypeError: double is a device function: it can be called in a kernel only
