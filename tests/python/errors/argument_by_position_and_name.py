# x is the second parameter of ph.where.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    t = x[0:+64]
    x[0:+64] = ph.where(t > 0, t, 0.0, x=t)


# $ phobosc argument_by_position_and_name.py
# argument_by_position_and_name.py:10:40: error: `x` is given twice
#         x[0:+64] = ph.where(t > 0, t, 0.0, x=t)
#                                            ^
# exit status 1
