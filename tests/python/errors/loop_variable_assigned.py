from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def count(x: ph.tensor[ph.i32][N]):
    for i in range(N):
        x[i] = 0
        i += 1


# $ phobosc loop_variable_assigned.py
# loop_variable_assigned.py:10:9: error: `i` is a loop variable and cannot be assigned
#             i += 1
#             ^
# loop_variable_assigned.py:8:9: note: the loop is here
#         for i in range(N):
#             ^
# exit status 1
