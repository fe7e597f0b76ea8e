from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def zero(a: ph.tensor[ph.f32][M, N]):
    for i in ph.unroll(1024):
        for j in ph.unroll(64):
            a[i, j] = 0.0


# $ phobosc unroll_within_unroll.py
# unroll_within_unroll.py:9:18: error: expected at most 4096 turns to unroll in loops within loops
#             for j in ph.unroll(64):
#                      ^~~~~~~~~~~~~
# hint: loop over range(...) instead
# exit status 1
