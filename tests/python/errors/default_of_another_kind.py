from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], double: ph.const[bool] = 2):
    if double:
        x[0:+16] = x[0:+16] * 2


# $ phobosc default_of_another_kind.py
# default_of_another_kind.py:7:36: error: expected a value of type bool for `double`, got an int
#     def scale(x: ph.tensor[ph.f32][N], double: ph.const[bool] = 2):
#                                        ^~~~~~~~~~~~~~~~~~~~~~
# exit status 1
