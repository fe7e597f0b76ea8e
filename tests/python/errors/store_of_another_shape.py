from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N]):
    y[0:+32] = x[0:+64]


# $ phobosc store_of_another_shape.py
# store_of_another_shape.py:8:16: error: a tile of shape [64] cannot be stored to a slice of shape [32]
#         y[0:+32] = x[0:+64]
#                    ^~~~~~~~
# store_of_another_shape.py:8:5: note: the slice
#         y[0:+32] = x[0:+64]
#         ^~~~~~~~
# exit status 1
