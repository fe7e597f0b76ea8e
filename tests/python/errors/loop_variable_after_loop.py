from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def count(x: ph.tensor[ph.i32][N]):
    for i in range(N):
        x[i] = 0
    x[0] = i


# $ phobosc loop_variable_after_loop.py
# loop_variable_after_loop.py:10:12: error: `i` might not be set here
#         x[0] = i
#                ^
# loop_variable_after_loop.py:8:9: note: it is the variable of this loop, which may not run at all
#         for i in range(N):
#             ^
# exit status 1
