from __future__ import annotations

import phobos.lang as ph


@ph.fn
def first(T: ph.tensor[ph.f32][A, B]):
    return T[0, 0]


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0] = first(x)


# $ phobosc fn_tensor_of_another_rank.py
# fn_tensor_of_another_rank.py:13:18: error: expected a tensor of f32 and rank 2 for `T` of `first`, got the tensor `x`
#         x[0] = first(x)
#                      ^
# fn_tensor_of_another_rank.py:7:11: note: declared here
#     def first(T: ph.tensor[ph.f32][A, B]):
#               ^~~~~~~~~~~~~~~~~~~~~~~~~~
# exit status 1
