# A depth is asked for, and there is no loop.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.pipeline(stages=3)
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc pipeline_of_nothing.py
# pipeline_of_nothing.py:9:5: error: nothing here can be pipelined at 3 stages: no loop contains a ph.dot
#     def apply(x: ph.tensor[ph.f32][N]):
#         ^~~~~
# hint: drop @ph.pipeline, or load the operands of ph.dot inside the loop
# exit status 1
