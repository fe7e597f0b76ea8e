from __future__ import annotations

import phobos.lang as ph


@ph.fn
def scale(t, factor):
    return t * factor


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = scale(x[0:+64])


# $ phobosc fn_argument_missing.py
# fn_argument_missing.py:13:16: error: `scale` needs an argument `factor`
#         x[0:+64] = scale(x[0:+64])
#                    ^~~~~~~~~~~~~~~
# hint: `scale` takes (t, factor)
# exit status 1
