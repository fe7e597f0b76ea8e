# A float does not become an int by being passed.
from __future__ import annotations

import phobos.lang as ph


@ph.fn
def shift(t, by: ph.i32):
    return t << by


@ph.kernel
def apply(x: ph.tensor[ph.i32][N], s: ph.f32):
    x[0:+64] = shift(x[0:+64], s)


# $ phobosc fn_argument_of_another_type.py
# fn_argument_of_another_type.py:14:32: error: expected a value of type i32 for `by` of `shift`, got a scalar f32
#         x[0:+64] = shift(x[0:+64], s)
#                                    ^
# fn_argument_of_another_type.py:8:14: note: declared here
#     def shift(t, by: ph.i32):
#                  ^~~~~~~~~~
# exit status 1
