from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def bump(x: ph.tensor[ph.f32][N]):
    if ph.f32:
        x[0] = 0.0


# $ phobosc branch_on_a_dtype.py
# branch_on_a_dtype.py:8:8: error: a dtype is neither true nor false
#         if ph.f32:
#            ^~~~~~
# exit status 1
