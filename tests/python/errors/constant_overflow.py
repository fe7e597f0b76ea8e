from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def add(x: ph.tensor[ph.i64][N]):
    x[0:+64] = ph.i64((1 << 62) * 4)


# $ phobosc constant_overflow.py
# constant_overflow.py:8:23: error: the result does not fit in a 64-bit integer
#         x[0:+64] = ph.i64((1 << 62) * 4)
#                           ^~~~~~~~~~~~~
# exit status 1
