# Which of them?
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    x[0:+64] = x[0:+64] * 2.0


@ph.kernel
def zero(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc several_kernels.py
# error: several_kernels.py has several kernels; choose one with --kernel: scale, zero
# hint: phobosc --help lists options, phases and chips
# exit status 2
