from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
    alpha = alpha * 2.0
    x[0:+64] = x[0:+64] * alpha


# $ phobosc parameter_assigned.py
# parameter_assigned.py:8:5: error: `alpha` is a parameter and cannot be assigned
#         alpha = alpha * 2.0
#         ^~~~~
# hint: use another name
# exit status 1
