from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def relu(x: ph.tensor[ph.f32][N]):
    t = x[0:+64]
    x[t < 0] = 0.0


# $ phobosc index_of_a_mask.py
# index_of_a_mask.py:9:7: error: expected an integer or a slice as an index, got a tile bool[64]
#         x[t < 0] = 0.0
#           ^~~~~
# exit status 1
