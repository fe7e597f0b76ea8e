from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    x[0] = ph.exp(x[1]
    x[1] = 2.0


# $ phobosc bracket_never_closed_above_a_line.py
# bracket_never_closed_above_a_line.py:8:18: error: `(` was never closed
#         x[0] = ph.exp(x[1]
#                      ^
# exit status 1
