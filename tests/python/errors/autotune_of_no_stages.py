from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.autotune(TILE=[64], stages=[0, 2])
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+TILE] = 0.0


# $ phobosc autotune_of_no_stages.py
# autotune_of_no_stages.py:7:33: error: expected `stages` to be an int from 1 to 16, got 0
#     @ph.autotune(TILE=[64], stages=[0, 2])
#                                     ^
# exit status 1
