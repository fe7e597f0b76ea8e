from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0] = x[0:+64].sum()


# $ phobosc call_of_a_method.py
# call_of_a_method.py:8:21: error: a slice f32[64] has no attribute `sum`
#         x[0] = x[0:+64].sum()
#                         ^~~
# hint: write ph.sum(...)
# exit status 1
