from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def fill(x: ph.tensor[ph.f32][N]):
    for i in ph.unroll(N):
        x[i] = 0.0


# $ phobosc unroll_at_run_time.py
# unroll_at_run_time.py:8:24: error: expected a constant as a bound of `ph.unroll`, got a scalar index
#         for i in ph.unroll(N):
#                            ^
# hint: loop over range(...) where the bounds are known only at run time
# exit status 1
