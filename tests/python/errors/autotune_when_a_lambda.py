from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.autotune(TILE=[64, 128], when=lambda TILE: TILE <= 64)
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+TILE] = 0.0


# $ phobosc autotune_when_a_lambda.py
# autotune_when_a_lambda.py:7:35: error: expected a condition on the tuned constants as `when`, as a string
#     @ph.autotune(TILE=[64, 128], when=lambda TILE: TILE <= 64)
#                                       ^~~~~~~~~~~~~~~~~~~~~~~
# hint: write when="TILE_M * TILE_N <= 32768"
# exit status 1
