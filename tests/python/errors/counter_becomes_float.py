# 0 makes an index, 0.0 would make an f32.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def count(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][1]):
    n = 0
    for i in range(N):
        n += x[i]
    y[0] = n


# $ phobosc counter_becomes_float.py
# counter_becomes_float.py:11:9: error: `n` is index, got f32
#             n += x[i]
#             ^~~~~~~~~
# counter_becomes_float.py:9:5: note: `n` is first set here
#         n = 0
#         ^
# hint: declare its type: `n: ph.var[ph.f32] = ...`
# exit status 1
