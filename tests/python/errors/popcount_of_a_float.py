from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = ph.popcount(x[0:+64])


# $ phobosc popcount_of_a_float.py
# popcount_of_a_float.py:8:16: error: `ph.popcount` takes integers of a known width, got f32
#         x[0:+64] = ph.popcount(x[0:+64])
#                    ^~~~~~~~~~~~~~~~~~~~~
# exit status 1
