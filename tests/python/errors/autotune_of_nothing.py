from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.autotune(TILE=[])
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+TILE] = 0.0


# $ phobosc autotune_of_nothing.py
# autotune_of_nothing.py:7:19: error: expected at least one candidate for `TILE`
#     @ph.autotune(TILE=[])
#                       ^~
# exit status 1
