from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def add(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N]):
    x[0:+64] = x[0:+64] + y


# $ phobosc operand_is_a_tensor.py
# operand_is_a_tensor.py:8:27: error: expected a number or a tile as an operand of `+`, got the tensor `y`
#         x[0:+64] = x[0:+64] + y
#                               ^
# hint: a tensor is read by a slice: y[i:+16]
# exit status 1
