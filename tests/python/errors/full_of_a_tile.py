from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+16] = ph.full(16, x[0:+16])


# $ phobosc full_of_a_tile.py
# full_of_a_tile.py:8:28: error: expected a scalar as the value of `ph.full`, got a tile f32[16]
#         x[0:+16] = ph.full(16, x[0:+16])
#                                ^~~~~~~~
# exit status 1
