from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def fill(x: ph.tensor[ph.f32][N]):
    for i in range(0, N, 0):
        x[i] = 0.0


# $ phobosc loop_step_zero.py
# loop_step_zero.py:8:26: error: the step of a range cannot be 0
#         for i in range(0, N, 0):
#                              ^
# exit status 1
