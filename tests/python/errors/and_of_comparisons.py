from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def clip(x: ph.tensor[ph.f32][N]):
    t = x[0:+64]
    x[0:+64] = ph.where(t > 0.0 & t < 1.0, t, 0.0)


# $ phobosc and_of_comparisons.py
# and_of_comparisons.py:9:29: error: `&` takes integers or bools, got f32
#         x[0:+64] = ph.where(t > 0.0 & t < 1.0, t, 0.0)
#                                 ^~~~~~~
# hint: `&` binds tighter than comparisons: (a < b) & (b < c)
# exit status 1
