from __future__ import annotations

import phobos.lang as ph


@ph.fn
def scaled(t, *, factor):
    return t * factor


@ph.kernel
def double(x: ph.tensor[ph.f32][N]):
    x[0:+64] = scaled(x[0:+64], 2.0)


# $ phobosc fn_keyword_by_position.py
# fn_keyword_by_position.py:13:33: error: `factor` of `scaled` is given by name only
#         x[0:+64] = scaled(x[0:+64], 2.0)
#                                     ^~~
# hint: write factor=...
# exit status 1
