from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def gather(x: ph.tensor[ph.f32][M, N], rows: ph.tensor[ph.i32][64], columns: ph.tensor[ph.i32][32], y: ph.tensor[ph.f32][64]):
    y[:] = x[rows[:], columns[:]]


# $ phobosc gather_of_shapes.py
# gather_of_shapes.py:8:23: error: indices of shapes [64] and [32] do not broadcast
#         y[:] = x[rows[:], columns[:]]
#                           ^~~~~~~~~~
# gather_of_shapes.py:8:14: note: the first of them
#         y[:] = x[rows[:], columns[:]]
#                  ^~~~~~~
# exit status 1
