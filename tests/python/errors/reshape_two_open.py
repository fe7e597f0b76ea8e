from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    t = ph.reshape(x[0:+64], -1, -1)
    x[0] = ph.sum(t)


# $ phobosc reshape_two_open.py
# reshape_two_open.py:8:34: error: expected positive constant ints as the shape, and -1 at most once, got -1
#         t = ph.reshape(x[0:+64], -1, -1)
#                                      ^~
# exit status 1
