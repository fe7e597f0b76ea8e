from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.tensorcore
@ph.pipeline(3)
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc pipeline_by_position.py
# pipeline_by_position.py:8:14: error: expected `stages=n` or `False`
#     @ph.pipeline(3)
#                  ^
# hint: write @ph.pipeline(stages=3) or @ph.pipeline(False)
# exit status 1
