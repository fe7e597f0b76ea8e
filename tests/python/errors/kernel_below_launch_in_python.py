from __future__ import annotations

import numpy as np

import phobos.lang as ph


def launch():
    @ph.launch(128)
    @ph.kernel
    def zero(x: ph.tensor[ph.f32][N]):
        x[0:+64] = 0.0


# >>> launch()
# phobos.CompileError: kernel_below_launch_in_python.py:9: error: `@ph.launch` stands above `@ph.kernel`, which must be outermost
#         @ph.launch(128)
# hint: move `@ph.kernel` to the top
