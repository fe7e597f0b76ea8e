from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.autotune(TILE=[64, 128], when="TILE => 64")
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+TILE] = 0.0


# $ phobosc autotune_when_syntax.py
# autotune_when_syntax.py:7:41: error: expected the end of the expression, got `=`
#     @ph.autotune(TILE=[64, 128], when="TILE => 64")
#                                             ^
# exit status 1
