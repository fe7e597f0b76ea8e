from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def product(a: ph.tensor[ph.f16][M, K], b: ph.tensor[ph.f32][K, N], c: ph.tensor[ph.f32][M, N]):
    c[0:+64, 0:+64] = ph.dot(a[0:+64, 0:+32], b[0:+32, 0:+64])


# $ phobosc dot_of_two_dtypes.py
# dot_of_two_dtypes.py:8:23: error: `ph.dot` cannot multiply f16 by f32
#         c[0:+64, 0:+64] = ph.dot(a[0:+64, 0:+32], b[0:+32, 0:+64])
#                           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# hint: convert one operand to the dtype of the other
# exit status 1
