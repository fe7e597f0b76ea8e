from __future__ import annotations

import phobos.lang as ph


@ph.fn
def scaled(t, u):
    return t * u


@ph.kernel
def apply(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N]):
    x[0:+64] = scaled(x[0:+64], y[0:+32])


# $ phobosc fn_error_inside.py
# fn_error_inside.py:8:12: error: shapes [64] and [32] do not broadcast in `*`
#         return t * u
#                ^~~~~
# fn_error_inside.py:13:16: note: in `scaled`, called from here
#         x[0:+64] = scaled(x[0:+64], y[0:+32])
#                    ^~~~~~~~~~~~~~~~~~~~~~~~~~
# exit status 1
