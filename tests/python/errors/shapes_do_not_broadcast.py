from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def add(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N]):
    x[0:+64] = x[0:+64] + y[0:+32]


# $ phobosc shapes_do_not_broadcast.py
# shapes_do_not_broadcast.py:8:16: error: shapes [64] and [32] do not broadcast in `+`
#         x[0:+64] = x[0:+64] + y[0:+32]
#                    ^~~~~~~~~~~~~~~~~~~
# exit status 1
