from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def clip(x: ph.tensor[ph.f32][N]):
    x[0:+64] = ~x[0:+64]


# $ phobosc invert_a_float.py
# invert_a_float.py:8:16: error: `~` takes integers or bools, got a tile f32[64]
#         x[0:+64] = ~x[0:+64]
#                    ^~~~~~~~~
# exit status 1
