from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def swap(x: ph.tensor[ph.f32][N]):
    t: ph.let = x[0]
    x[0] = x[1]
    t: ph.let = x[2]
    x[1] = t


# $ phobosc let_declared_twice.py
# let_declared_twice.py:10:5: error: `t` is declared again
#         t: ph.let = x[2]
#         ^
# let_declared_twice.py:8:5: note: it is first set here
#         t: ph.let = x[0]
#         ^
# exit status 1
