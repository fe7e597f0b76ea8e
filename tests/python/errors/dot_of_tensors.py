from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def product(a: ph.tensor[ph.f16][M, K], b: ph.tensor[ph.f16][K, N], c: ph.tensor[ph.f32][M, N]):
    c[0:+64, 0:+64] = ph.dot(a, b)


# $ phobosc dot_of_tensors.py
# dot_of_tensors.py:8:30: error: expected a number or a tile as a value, got the tensor `a`
#         c[0:+64, 0:+64] = ph.dot(a, b)
#                                  ^
# hint: a tensor is read by a slice: a[i:+16]
# dot_of_tensors.py:8:33: error: expected a number or a tile as a value, got the tensor `b`
#         c[0:+64, 0:+64] = ph.dot(a, b)
#                                     ^
# hint: a tensor is read by a slice: b[i:+16]
# exit status 1
