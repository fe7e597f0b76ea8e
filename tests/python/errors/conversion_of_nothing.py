from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0] = ph.f32()


# $ phobosc conversion_of_nothing.py
# conversion_of_nothing.py:8:12: error: expected one value to convert with `ph.f32`
#         x[0] = ph.f32()
#                ^~~~~~~~
# exit status 1
