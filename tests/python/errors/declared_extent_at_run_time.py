from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def total(x: ph.tensor[ph.f32][M, N], y: ph.tensor[ph.f32][M]):
    acc: ph.var[ph.tile[ph.f32][M]] = 0.0
    y[0] = ph.sum(acc)


# $ phobosc declared_extent_at_run_time.py
# declared_extent_at_run_time.py:8:33: error: expected a positive constant int as an extent of a tile, got a scalar index
#         acc: ph.var[ph.tile[ph.f32][M]] = 0.0
#                                     ^
# hint: the shape of a tile is fixed when the kernel is compiled
# exit status 1
