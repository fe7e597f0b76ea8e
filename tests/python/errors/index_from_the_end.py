from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def tail(x: ph.tensor[ph.f32][N]):
    x[-1] = 0.0


# $ phobosc index_from_the_end.py
# index_from_the_end.py:8:7: error: a negative start does not count from the end: all of it would be out of range
#         x[-1] = 0.0
#           ^~
# hint: count from the extent: x.shape[0] - n
# exit status 1
