from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+16] = ph.load(x)


# $ phobosc load_of_a_tensor.py
# load_of_a_tensor.py:8:24: error: expected a slice of a tensor to load, got the tensor `x`
#         x[0:+16] = ph.load(x)
#                            ^
# hint: write ph.load(A[i:+16])
# exit status 1
