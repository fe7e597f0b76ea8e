from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def fill(x: ph.tensor[ph.f32][N]):
    for i in ph.unroll(5000):
        x[i] = 0.0


# $ phobosc unroll_too_far.py
# unroll_too_far.py:8:14: error: expected at most 1024 turns to unroll
#         for i in ph.unroll(5000):
#                  ^~~~~~~~~~~~~~~
# hint: loop over range(...) instead
# exit status 1
