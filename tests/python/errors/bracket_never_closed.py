from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    x[0:+64] = ph.exp(x[0:+64]


# $ phobosc bracket_never_closed.py
# bracket_never_closed.py:8:22: error: `(` was never closed
#         x[0:+64] = ph.exp(x[0:+64]
#                          ^
# exit status 1
