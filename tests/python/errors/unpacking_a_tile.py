from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def split(x: ph.tensor[ph.f32][N]):
    a, b = x[0:+2]
    x[0] = a + b


# $ phobosc unpacking_a_tile.py
# unpacking_a_tile.py:8:12: error: expected a tuple of 2 to unpack, got a tile f32[2]
#         a, b = x[0:+2]
#                ^~~~~~~
# exit status 1
