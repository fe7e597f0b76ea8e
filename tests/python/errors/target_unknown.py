from __future__ import annotations

import numpy as np

import phobos
import phobos.lang as ph


def launch():
    phobos.target("gpu")


# >>> launch()
# phobos.LaunchError: error: unknown target 'gpu'; expected cuda or host
