from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def kernel(x: ph.tensor[ph.f32][N], b: ph.tensor[ph.u8][N]):
    t = x[0:+64]
    ph.prefetch(t)


# $ phobosc prefetch_of_a_tile.py
# prefetch_of_a_tile.py:9:17: error: expected a slice of a tensor to prefetch, got a tile f32[64]
#         ph.prefetch(t)
#                     ^
# hint: write ph.prefetch(A[i:+16])
# exit status 1
