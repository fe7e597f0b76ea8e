from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def product(a: ph.tensor[ph.f16][M, K], b: ph.tensor[ph.f16][K, N], c: ph.tensor[ph.f32][M, N]):
    c[0:+16, 0:+16] = a[0:+16, 0:+16] @ b[0:+16, 0:+16]


# $ phobosc at_operator.py
# at_operator.py:8:39: error: `@` is not an operator on tiles
#         c[0:+16, 0:+16] = a[0:+16, 0:+16] @ b[0:+16, 0:+16]
#                                           ^
# hint: write ph.dot(a, b)
# exit status 1
