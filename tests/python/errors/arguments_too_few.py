from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = ph.where(x[0:+64] > 0)


# $ phobosc arguments_too_few.py
# arguments_too_few.py:8:16: error: `ph.where` needs an argument `x`
#         x[0:+64] = ph.where(x[0:+64] > 0)
#                    ^~~~~~~~~~~~~~~~~~~~~~
# hint: `ph.where` takes (condition, x, y)
# exit status 1
