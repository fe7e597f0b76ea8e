from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    with ph.pipeline(stages=3):
        x[0:+64] = 0.0


# $ phobosc with_statement.py
# with_statement.py:8:5: error: `with` is not part of the kernel language
#         with ph.pipeline(stages=3):
#         ^~~~
# exit status 1
