from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def clip(x: ph.tensor[ph.i32][N]):
    x[0:+64] = x[0:+64] << 32


# $ phobosc shift_too_far.py
# shift_too_far.py:8:28: error: expected a shift from 0 to 31 for i32, got 32
#         x[0:+64] = x[0:+64] << 32
#                                ^~
# exit status 1
