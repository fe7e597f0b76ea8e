from __future__ import annotations

import phobos.lang as ph


@ph.fn
def scale(t, factor):
    return t * factor


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = scale(x[0:+64], facto=2.0)


# $ phobosc fn_unknown_keyword.py
# fn_unknown_keyword.py:13:32: error: `scale` has no parameter `facto`
#         x[0:+64] = scale(x[0:+64], facto=2.0)
#                                    ^~~~~
# hint: `scale` takes (t, factor)
# exit status 1
