# Whether the unrolled loop goes on is known at run time only.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def find(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.i32][1]):
    for i in ph.unroll(4):
        if x[i] > 0:
            y[0] = i
            break


# $ phobosc break_of_unrolled_loop.py
# break_of_unrolled_loop.py:12:13: error: `break` under a run-time condition in an unrolled loop is not supported yet
#                 break
#                 ^~~~~
# hint: loop over range(...) instead
# exit status 1
