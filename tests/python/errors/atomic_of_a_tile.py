from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N], total: ph.tensor[ph.f32][1]):
    t = x[0:+16]
    ph.atomic_add(t, 1.0)


# $ phobosc atomic_of_a_tile.py
# atomic_of_a_tile.py:9:19: error: expected a slice of a tensor for `ph.atomic_add`, got a tile f32[16]
#         ph.atomic_add(t, 1.0)
#                       ^
# hint: write ph.atomic_add(A[i:+16], ...)
# exit status 1
