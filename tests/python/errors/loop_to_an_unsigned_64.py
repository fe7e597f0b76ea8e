from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], u: ph.u64):
    for i in range(u):
        x[i] = 0.0


# $ phobosc loop_to_an_unsigned_64.py
# loop_to_an_unsigned_64.py:8:20: error: a bound of `range` cannot be u64
#         for i in range(u):
#                        ^
# hint: convert it: ph.i64(...)
# exit status 1
