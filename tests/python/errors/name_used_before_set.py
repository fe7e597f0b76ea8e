from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    x[0:+64] = x[0:+64] * factor
    factor = 2.0


# $ phobosc name_used_before_set.py
# name_used_before_set.py:8:27: error: `factor` is used before it is set
#         x[0:+64] = x[0:+64] * factor
#                               ^~~~~~
# exit status 1
