from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    t = ph.zeros((N,))
    x[0] = ph.sum(t)


# $ phobosc zeros_at_run_time.py
# zeros_at_run_time.py:8:19: error: expected a positive constant int as an extent of a tile, got a scalar index
#         t = ph.zeros((N,))
#                       ^
# hint: the shape of a tile is fixed when the kernel is compiled
# exit status 1
