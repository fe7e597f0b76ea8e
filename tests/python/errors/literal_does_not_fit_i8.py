# An int takes the dtype of the tile it meets.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def square(x: ph.tensor[ph.i8][N]):
    x[0:+64] = x[0:+64] + 200


# $ phobosc literal_does_not_fit_i8.py
# literal_does_not_fit_i8.py:9:27: error: 200 does not fit in i8 (-128 to 127)
#         x[0:+64] = x[0:+64] + 200
#                               ^~~
# exit status 1
