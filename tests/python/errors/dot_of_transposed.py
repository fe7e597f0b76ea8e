from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def product(a: ph.tensor[ph.f16][M, K], b: ph.tensor[ph.f16][N, K], c: ph.tensor[ph.f32][M, N]):
    c[0:+64, 0:+64] = ph.dot(a[0:+64, 0:+32], b[0:+64, 0:+32])


# $ phobosc dot_of_transposed.py
# dot_of_transposed.py:8:23: error: `ph.dot` of f16[64, 32] and f16[64, 32]: the inner extents are 32 and 64
#         c[0:+64, 0:+64] = ph.dot(a[0:+64, 0:+32], b[0:+64, 0:+32])
#                           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# hint: write ph.dot_t(a, b) to transpose b
# exit status 1
