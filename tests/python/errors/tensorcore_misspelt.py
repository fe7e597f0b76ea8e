from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.tensorcore(f32="tf32x2")
def product(a: ph.tensor[ph.f32][M, K], b: ph.tensor[ph.f32][K, N], c: ph.tensor[ph.f32][M, N]):
    c[0:+64, 0:+64] = ph.dot(a[0:+64, 0:+32], b[0:+32, 0:+64])


# $ phobosc tensorcore_misspelt.py
# tensorcore_misspelt.py:7:20: error: expected "tf32x3", "tf32" or "bf16x3" as `f32`
#     @ph.tensorcore(f32="tf32x2")
#                        ^~~~~~~~
# exit status 1
