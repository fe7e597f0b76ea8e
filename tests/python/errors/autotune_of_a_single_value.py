from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.autotune(TILE=64)
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+TILE] = 0.0


# $ phobosc autotune_of_a_single_value.py
# autotune_of_a_single_value.py:7:19: error: expected a list of candidates for `TILE`
#     @ph.autotune(TILE=64)
#                       ^~
# hint: write TILE=[64, 128]; candidates are read, not run
# exit status 1
