from __future__ import annotations

import math

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = x[0:+64] * math.pi


# $ phobosc constant_of_math.py
# constant_of_math.py:10:27: error: `math` is imported; a kernel sees device functions of other files, and nothing else of them
#         x[0:+64] = x[0:+64] * math.pi
#                               ^~~~
# hint: bring a constant in by an assignment at the top of the file
# exit status 1
