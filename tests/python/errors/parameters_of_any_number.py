from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def add(y: ph.tensor[ph.f32][N], *inputs: ph.tensor[ph.f32][N]):
    y[0:+64] = inputs[0][0:+64] + inputs[1][0:+64]


# $ phobosc parameters_of_any_number.py
# parameters_of_any_number.py:7:34: error: a variable number of parameters is not part of the kernel language
#     def add(y: ph.tensor[ph.f32][N], *inputs: ph.tensor[ph.f32][N]):
#                                      ^
# hint: name each parameter
# exit status 1
