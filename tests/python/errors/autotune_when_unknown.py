from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.autotune(TILE=[64, 128], when="TILE_M <= 64")
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+TILE] = 0.0


# $ phobosc autotune_when_unknown.py
# autotune_when_unknown.py:7:36: error: expected `when` to be constant; `TILE_M` is not
#     @ph.autotune(TILE=[64, 128], when="TILE_M <= 64")
#                                        ^~~~~~
# hint: did you mean `TILE`?
# exit status 1
