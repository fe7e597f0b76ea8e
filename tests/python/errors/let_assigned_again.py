from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def count(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][1]):
    total: ph.let = 0.0
    for i in range(N):
        total += x[i]
    y[0] = total


# $ phobosc let_assigned_again.py
# let_assigned_again.py:10:9: error: `total` is a `let` and cannot be assigned again
#             total += x[i]
#             ^~~~~
# let_assigned_again.py:8:5: note: it is bound here
#         total: ph.let = 0.0
#         ^~~~~
# hint: declare it with ph.var
# exit status 1
