from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def product(a: ph.tensor[ph.f16][M, K], b: ph.tensor[ph.f16][K, N], c: ph.tensor[ph.f16][M, N]):
    c[0:+64, 0:+64] = ph.dot(a[0:+64, 0:+32], b[0:+32, 0:+64], out_dtype=ph.f16)


# $ phobosc keyword_of_triton.py
# keyword_of_triton.py:8:64: error: `ph.dot` has no parameter `out_dtype`
#         c[0:+64, 0:+64] = ph.dot(a[0:+64, 0:+32], b[0:+32, 0:+64], out_dtype=ph.f16)
#                                                                    ^~~~~~~~~
# hint: `ph.dot` takes (a, b, acc=None)
# exit status 1
