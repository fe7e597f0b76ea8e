from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def copy(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N]):
    y[0:+64] = x


# $ phobosc store_of_a_tensor.py
# store_of_a_tensor.py:8:16: error: expected a number or a tile as a stored value, got the tensor `x`
#         y[0:+64] = x
#                    ^
# hint: a tensor is read by a slice: x[i:+16]
# exit status 1
