from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def spin(x: ph.tensor[ph.f32][N]):
    while True:
        x[0] = 0.0


# $ phobosc loop_that_never_ends.py
# loop_that_never_ends.py:8:11: error: this loop never ends
#         while True:
#               ^~~~
# hint: leave it by `break`, or write a condition that changes
# exit status 1
