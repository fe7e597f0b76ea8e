from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    x[0:+64] *= 2.0


@ph.kernel
def scale(x: ph.tensor[ph.f16][N]):
    x[0:+64] *= 2.0


@ph.kernel
def clear(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc several_kernels_some_of_one_name.py
# error: several_kernels_some_of_one_name.py has several kernels; choose one with --kernel: scale, clear
# hint: phobosc --help lists options, phases and chips
# exit status 2
