from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def zero(x: ph.tensor[ph.f32][N]):
    rows = range(4)
    for i in rows:
        x[i] = 0.0


# $ phobosc range_hidden.py
# range_hidden.py:8:12: error: `range` can only be looped over
#         rows = range(4)
#                ^~~~~~~~
# exit status 1
