from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.pipeline(stages=64)
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc pipeline_too_deep.py
# pipeline_too_deep.py:7:21: error: expected `stages` to be an int from 1 to 16, got 64
#     @ph.pipeline(stages=64)
#                         ^~
# exit status 1
