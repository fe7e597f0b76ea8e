from __future__ import annotations

import numpy as np

import phobos.lang as ph


def launch():
    @ph.kernel
    class Scale:
        pass


# >>> launch()
# TypeError: @ph.kernel: expected a function, got type
