from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def total(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][1]):
    s: ph.var = 0.0
    for value in x:
        s += value
    y[0] = s


# $ phobosc loop_over_a_tensor.py
# loop_over_a_tensor.py:9:18: error: expected `range(...)` or `ph.unroll(...)` to loop over
#         for value in x:
#                      ^
# exit status 1
