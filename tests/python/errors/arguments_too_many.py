from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = ph.exp(x[0:+64], 2)


# $ phobosc arguments_too_many.py
# arguments_too_many.py:8:33: error: expected at most 1 argument in call of `ph.exp`
#         x[0:+64] = ph.exp(x[0:+64], 2)
#                                     ^
# hint: `ph.exp` takes (x)
# exit status 1
