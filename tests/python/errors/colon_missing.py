from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def count(x: ph.tensor[ph.f32][N]):
    for i in range(4)
        x[i] = 0.0


# $ phobosc colon_missing.py
# colon_missing.py:8:22: error: expected `:` after the range of `for`, got the end of line
#         for i in range(4)
#                          ^
# exit status 1
