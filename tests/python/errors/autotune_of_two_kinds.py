from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.autotune(TILE=[64, "large"])
def zero(x: ph.tensor[ph.f32][N]):
    x[0:+TILE] = 0.0


# $ phobosc autotune_of_two_kinds.py
# autotune_of_two_kinds.py:7:24: error: expected candidates of one kind for `TILE`, got an int and a string
#     @ph.autotune(TILE=[64, "large"])
#                            ^~~~~~~
# exit status 1
