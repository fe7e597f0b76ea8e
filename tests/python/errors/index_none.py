# A new axis of a slice, as in NumPy.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def fill(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][M, N]):
    y[0:+64, 0:+64] = x[0:+64, None]


# $ phobosc index_none.py
# index_none.py:9:32: error: `None` cannot stand in a slice of a tensor
#         y[0:+64, 0:+64] = x[0:+64, None]
#                                    ^~~~
# hint: load the slice, then index it: t[:, None]
# exit status 1
