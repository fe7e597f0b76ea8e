from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32, N]):
    x[0:+64] = 0.0


# $ phobosc tensor_dtype_and_dims_together.py
# tensor_dtype_and_dims_together.py:7:14: error: expected `ph.tensor[dtype][dims]`
#     def apply(x: ph.tensor[ph.f32, N]):
#                  ^~~~~~~~~~~~~~~~~~~~
# hint: write ph.tensor[ph.f32][64, 64]
# exit status 1
