from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    t = x[0:+64]
    x[0:+64] = ph.where(condition=t > 0, t, 0.0)


# $ phobosc positional_after_keyword.py
# positional_after_keyword.py:9:42: error: a positional argument follows a keyword argument
#         x[0:+64] = ph.where(condition=t > 0, t, 0.0)
#                                              ^
# exit status 1
