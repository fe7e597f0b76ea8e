from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0] = ph.sum(x[0])


# $ phobosc reduction_of_a_scalar.py
# reduction_of_a_scalar.py:8:19: error: expected a tile to reduce, got a slice f32
#         x[0] = ph.sum(x[0])
#                       ^~~~
# exit status 1
