from __future__ import annotations

import phobos.lang as ph


@ph.fn
def total(*tiles):
    return tiles[0] + tiles[1]


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = total(x[0:+64], x[64:+64])


# $ phobosc fn_with_a_variable_number.py
# fn_with_a_variable_number.py:7:11: error: a variable number of parameters is not part of the kernel language
#     def total(*tiles):
#               ^
# hint: name each parameter
# exit status 1
