from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def product(a: ph.tensor[ph.i32][M, K], b: ph.tensor[ph.i32][K, N], c: ph.tensor[ph.i32][M, N]):
    c[0:+64, 0:+64] = ph.dot(a[0:+64, 0:+32], b[0:+32, 0:+64])


# $ phobosc dot_of_i32.py
# dot_of_i32.py:8:23: error: `ph.dot` cannot multiply i32 by i32
#         c[0:+64, 0:+64] = ph.dot(a[0:+64, 0:+32], b[0:+32, 0:+64])
#                           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# hint: operands are f16, bf16, f32, f64, f8 or i8 and u8
# exit status 1
