from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.autotune(stages=[2, 3])
@ph.pipeline(False)
def zero(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc autotune_stages_beside_pipeline.py
# autotune_stages_beside_pipeline.py:7:14: error: `stages` is tuned, but `@ph.pipeline` says how many there are
#     @ph.autotune(stages=[2, 3])
#                  ^~~~~~
# hint: leave out one of the two
# exit status 1
