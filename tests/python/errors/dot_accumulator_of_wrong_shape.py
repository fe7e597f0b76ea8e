from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def product(a: ph.tensor[ph.f16][M, K], b: ph.tensor[ph.f16][K, N], c: ph.tensor[ph.f32][M, N]):
    c[0:+64, 0:+64] = ph.dot(a[0:+64, 0:+32], b[0:+32, 0:+64], acc=ph.zeros((64, 32)))


# $ phobosc dot_accumulator_of_wrong_shape.py
# dot_accumulator_of_wrong_shape.py:8:68: error: expected `acc` to be f32[64, 64], got f32[64, 32]
#         c[0:+64, 0:+64] = ph.dot(a[0:+64, 0:+32], b[0:+32, 0:+64], acc=ph.zeros((64, 32)))
#                                                                        ^~~~~~~~~~~~~~~~~~
# exit status 1
