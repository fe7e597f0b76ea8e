from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], width: ph.const[ph.i8]):
    x[0:+64] = x[0:+64] * width


# $ phobosc const_too_large.py -D width=300
# const_too_large.py:7:36: error: 300 does not fit in i8 (-128 to 127)
#     def scale(x: ph.tensor[ph.f32][N], width: ph.const[ph.i8]):
#                                        ^~~~~~~~~~~~~~~~~~~~~~
# exit status 1
