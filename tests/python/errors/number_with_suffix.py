from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    x[0:+64] = x[0:+64] * 2.0f


# $ phobosc number_with_suffix.py
# number_with_suffix.py:8:27: error: invalid decimal literal
#         x[0:+64] = x[0:+64] * 2.0f
#                               ^~~~
# exit status 1
