from __future__ import annotations

import phobos.lang as ph


@ph.fn
def both(t):
    return ph.min(t), ph.max(t)


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0] = both(x[0:+64])


# $ phobosc fn_returns_several.py
# fn_returns_several.py:13:12: error: expected a number or a tile as a stored value, got a tuple
#         x[0] = both(x[0:+64])
#                ^~~~~~~~~~~~~~
# exit status 1
