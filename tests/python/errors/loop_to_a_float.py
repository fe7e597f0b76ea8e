from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def fill(x: ph.tensor[ph.f32][N]):
    for i in range(0, N / 2):
        x[i] = 0.0


# $ phobosc loop_to_a_float.py
# loop_to_a_float.py:8:23: error: expected an integer as a bound of `range`, got a scalar f32
#         for i in range(0, N / 2):
#                           ^~~~~
# exit status 1
