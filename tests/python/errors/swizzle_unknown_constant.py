from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.swizzle("GROUP")
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc swizzle_unknown_constant.py
# swizzle_unknown_constant.py:7:14: error: expected the group to be constant; `GROUP` is not
#     @ph.swizzle("GROUP")
#                  ^~~~~
# exit status 1
