from __future__ import annotations

import phobos.lang as ph


@ph.fn
def even(n):
    return odd(n - 1)


@ph.fn
def odd(n):
    return even(n - 1)


@ph.kernel
def apply(x: ph.tensor[ph.i32][N]):
    x[0] = even(x[1])


# $ phobosc fn_recursive_in_a_cycle.py
# fn_recursive_in_a_cycle.py:13:12: error: a device function cannot call itself: even -> odd -> even
#         return even(n - 1)
#                ^~~~~~~~~~~
# hint: every call is inlined; write a loop
# exit status 1
