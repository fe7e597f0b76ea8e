from __future__ import annotations

import numpy as np

import phobos
import phobos.lang as ph


def launch():
    phobos.sim(check="races")


# >>> launch()
# phobos.LaunchError: error: unknown check 'races'; expected bounds, race, init, deadlock or all
