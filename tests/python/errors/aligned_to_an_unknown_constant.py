from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.autotune(TILE=[64])
@ph.aligned(N="TILE_N")
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+TILE] = 0.0


# $ phobosc aligned_to_an_unknown_constant.py
# aligned_to_an_unknown_constant.py:8:15: error: `TILE_N` is not a constant of `apply`
#     @ph.aligned(N="TILE_N")
#                   ^~~~~~~~
# hint: a promise names a tuned or module constant, or is an int
# exit status 1
