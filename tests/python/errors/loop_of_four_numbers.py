from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def bump(x: ph.tensor[ph.f32][N]):
    for i in range(0, 1, 2, 3):
        x[0] = i


# $ phobosc loop_of_four_numbers.py
# loop_of_four_numbers.py:8:14: error: expected one to three arguments: `range(stop)`, `range(start, stop)` or `range(start, stop, step)`
#         for i in range(0, 1, 2, 3):
#                  ^~~~~~~~~~~~~~~~~
# exit status 1
