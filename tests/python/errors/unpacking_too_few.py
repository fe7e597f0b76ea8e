from __future__ import annotations

import phobos.lang as ph


@ph.fn
def split(t):
    return t * 0.5, t * 0.25


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    a, b, c = split(x[0:+64])
    x[0:+64] = a + b + c


# $ phobosc unpacking_too_few.py
# unpacking_too_few.py:13:5: error: expected 3 values to unpack, got 2
#         a, b, c = split(x[0:+64])
#         ^~~~~~~~~~~~~~~~~~~~~~~~~
# exit status 1
