from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    x[0:+64] = ph.exp(x[0:+64]))


# $ phobosc bracket_unmatched.py
# bracket_unmatched.py:8:32: error: unmatched `)`
#         x[0:+64] = ph.exp(x[0:+64]))
#                                    ^
# exit status 1
