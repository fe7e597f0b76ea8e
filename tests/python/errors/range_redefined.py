from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def fill(x: ph.tensor[ph.f32][N]):
    range = 3
    for i in range(4):
        x[i] = range


# $ phobosc range_redefined.py
# range_redefined.py:9:14: error: `range` is an int here
#         for i in range(4):
#                  ^~~~~
# hint: give that another name
# exit status 1
