from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def halves(x: ph.tensor[ph.f32][N]):
    t = x[0:+64]
    x[0:+32] = t[40:+32]


# $ phobosc slice_of_a_tile.py
# slice_of_a_tile.py:9:18: error: this slice ends at 72, past an extent of 64
#         x[0:+32] = t[40:+32]
#                      ^~~~~~
# exit status 1
