# Where the loop is left in its first turn nothing is set yet.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def find(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][1]):
    for i in ph.unroll(4):
        if x[i] > 0:
            break
        last = x[i]
    y[0] = last


# $ phobosc unset_after_a_break.py
# unset_after_a_break.py:13:12: error: `last` might not be set here
#         y[0] = last
#                ^~~~
# unset_after_a_break.py:12:9: note: it is set here, which is not on every path
#             last = x[i]
#             ^~~~
# hint: set it before the branch or loop
# exit status 1
