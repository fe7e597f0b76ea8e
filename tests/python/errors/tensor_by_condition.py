# A tensor is chosen at run time, as a pointer would be in C.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def pick(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N], n: ph.i32):
    t = x if n > 0 else y
    t[0:+64] = 0.0


# $ phobosc tensor_by_condition.py
# tensor_by_condition.py:9:9: error: expected a number or a tile as an operand of `if` in an expression, got the tensor `x`
#         t = x if n > 0 else y
#             ^
# hint: a tensor is read by a slice: x[i:+16]
# exit status 1
