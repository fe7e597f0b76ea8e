from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def total(x: ph.tensor[ph.f32][M, N], y: ph.tensor[ph.f32][M]):
    acc: ph.var[ph.tile[64, 64]] = 0.0
    y[0] = ph.sum(acc)


# $ phobosc declared_tile_without_dtype.py
# declared_tile_without_dtype.py:8:17: error: expected `ph.tile[dtype][dims]`
#         acc: ph.var[ph.tile[64, 64]] = 0.0
#                     ^~~~~~~~~~~~~~~
# hint: write ph.tile[ph.f32][64, 64]
# exit status 1
