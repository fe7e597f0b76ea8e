from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    if x:
        x[0:+64] = 0.0


# $ phobosc branch_on_a_tensor.py
# branch_on_a_tensor.py:8:8: error: expected a number or a tile as the condition of `if`, got the tensor `x`
#         if x:
#            ^
# hint: a tensor is read by a slice: x[i:+16]
# exit status 1
