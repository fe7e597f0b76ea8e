from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    t = ph.zeros((2, 2, 2, 2, 2, 2))
    x[0] = ph.sum(t)


# $ phobosc tile_of_six_dims.py
# tile_of_six_dims.py:8:18: error: expected at most 5 dimensions, got 6
#         t = ph.zeros((2, 2, 2, 2, 2, 2))
#                      ^~~~~~~~~~~~~~~~~~
# exit status 1
