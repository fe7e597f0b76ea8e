# N may be 0.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def last(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][1]):
    for i in range(N):
        value = x[i]
    y[0] = value


# $ phobosc name_set_in_loop.py
# name_set_in_loop.py:11:12: error: `value` might not be set here
#         y[0] = value
#                ^~~~~
# name_set_in_loop.py:10:9: note: it is set here, which is not on every path
#             value = x[i]
#             ^~~~~
# hint: set it before the branch or loop
# exit status 1
