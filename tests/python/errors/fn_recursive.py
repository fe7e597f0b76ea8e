from __future__ import annotations

import phobos.lang as ph


@ph.fn
def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0] = power(x[0], 5)


# $ phobosc fn_recursive.py
# fn_recursive.py:10:16: error: a device function cannot call itself: power -> power
#         return x * power(x, n - 1)
#                    ^~~~~~~~~~~~~~~
# hint: every call is inlined; write a loop
# exit status 1
