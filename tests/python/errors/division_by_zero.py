from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def square(x: ph.tensor[ph.i32][N]):
    x[0:+64] = x[0:+64] // 0


# $ phobosc division_by_zero.py
# division_by_zero.py:8:28: error: division by zero
#         x[0:+64] = x[0:+64] // 0
#                                ^
# exit status 1
