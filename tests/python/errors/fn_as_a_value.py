from __future__ import annotations

import phobos.lang as ph


@ph.fn
def double(t):
    return t * 2.0


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = double


# $ phobosc fn_as_a_value.py
# fn_as_a_value.py:13:16: error: expected a number or a tile as a stored value, got the function `double`
#         x[0:+64] = double
#                    ^~~~~~
# hint: call it with (...)
# exit status 1
