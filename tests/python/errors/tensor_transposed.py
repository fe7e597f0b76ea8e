from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def product(a: ph.tensor[ph.f16][M, K], b: ph.tensor[ph.f16][N, K], c: ph.tensor[ph.f32][M, N]):
    c[0:+16, 0:+16] = ph.dot(a[0:+16, 0:+16], b.T[0:+16, 0:+16])


# $ phobosc tensor_transposed.py
# tensor_transposed.py:8:49: error: the tensor `b` has no attribute `T`
#         c[0:+16, 0:+16] = ph.dot(a[0:+16, 0:+16], b.T[0:+16, 0:+16])
#                                                     ^
# hint: a tensor has `shape`, `stride`, `dtype` and `ndim`
# exit status 1
