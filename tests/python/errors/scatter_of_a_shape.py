from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scatter(x: ph.tensor[ph.f32][32], index: ph.tensor[ph.i32][64], y: ph.tensor[ph.f32][N]):
    y[index[:]] = x[:]


# $ phobosc scatter_of_a_shape.py
# scatter_of_a_shape.py:8:19: error: a tile of shape [32] cannot be stored to a slice of shape [64]
#         y[index[:]] = x[:]
#                       ^~~~
# scatter_of_a_shape.py:8:5: note: the slice
#         y[index[:]] = x[:]
#         ^~~~~~~~~~~
# exit status 1
