from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def fill(x: ph.tensor[ph.f32][N]):
    x[64:64] = 0.0


# $ phobosc slice_empty.py
# slice_empty.py:8:7: error: this slice is empty: its length is 0
#         x[64:64] = 0.0
#           ^~~~~
# exit status 1
