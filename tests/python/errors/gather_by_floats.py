from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def gather(x: ph.tensor[ph.f32][N], index: ph.tensor[ph.f32][64], y: ph.tensor[ph.f32][64]):
    y[:] = x[index[:]]


# $ phobosc gather_by_floats.py
# gather_by_floats.py:8:14: error: expected an integer or a slice as an index, got a tile f32[64]
#         y[:] = x[index[:]]
#                  ^~~~~~~~
# exit status 1
