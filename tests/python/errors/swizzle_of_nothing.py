from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.swizzle(0)
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc swizzle_of_nothing.py
# swizzle_of_nothing.py:7:13: error: expected the group to be an int from 1 to 2147483647, got 0
#     @ph.swizzle(0)
#                 ^
# exit status 1
