from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.autotune(TILE=[64, 128, 64])
def zero(x: ph.tensor[ph.f32][N]):
    x[0:+TILE] = 0.0


# $ phobosc autotune_twice_the_same.py
# autotune_twice_the_same.py:7:29: error: the candidate 64 of `TILE` is given twice
#     @ph.autotune(TILE=[64, 128, 64])
#                                 ^~
# exit status 1
