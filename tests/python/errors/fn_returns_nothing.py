from __future__ import annotations

import phobos.lang as ph


@ph.fn
def double(t):
    pass


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = double(x[0:+64])


# $ phobosc fn_returns_nothing.py
# fn_returns_nothing.py:13:16: error: `double` returns nothing
#         x[0:+64] = double(x[0:+64])
#                    ^~~~~~~~~~~~~~~~
# exit status 1
