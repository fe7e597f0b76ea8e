from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    y = 1.0 x[0:+64] = y


# $ phobosc statements_run_together.py
# statements_run_together.py:8:13: error: expected the end of the statement, got `x`
#         y = 1.0 x[0:+64] = y
#                 ^
# exit status 1
