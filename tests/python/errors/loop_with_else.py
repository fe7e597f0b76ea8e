from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    for i in range(4):
        x[i] = 0.0
    else:
        x[0] = 1.0


# $ phobosc loop_with_else.py
# loop_with_else.py:10:5: error: `else` on a loop is not part of the kernel language
#         else:
#         ^~~~
# hint: set a flag before `break` and test it after the loop
# exit status 1
