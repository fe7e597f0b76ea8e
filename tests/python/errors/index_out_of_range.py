from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def fill(x: ph.tensor[ph.f32][4, N]):
    x[4, 0] = 0.0


# $ phobosc index_out_of_range.py
# index_out_of_range.py:8:7: error: index 4 is out of range for an extent of 4
#         x[4, 0] = 0.0
#           ^
# exit status 1
