from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def shorten(x: ph.tensor[ph.f32][N]):
    N = N - 1
    for i in range(N):
        x[i] = 0.0


# $ phobosc dim_assigned.py
# dim_assigned.py:8:5: error: `N` is a dim and cannot be assigned
#         N = N - 1
#         ^
# hint: use another name
# exit status 1
