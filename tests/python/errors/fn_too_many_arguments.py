from __future__ import annotations

import phobos.lang as ph


@ph.fn
def double(t):
    return t * 2.0


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = double(x[0:+64], 3.0)


# $ phobosc fn_too_many_arguments.py
# fn_too_many_arguments.py:13:33: error: too many arguments in call of `double`
#         x[0:+64] = double(x[0:+64], 3.0)
#                                     ^~~
# hint: `double` takes (t)
# exit status 1
