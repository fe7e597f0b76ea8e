from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    t: ph.let = x[0:+64]
    t[0] = 1.0
    x[0:+64] = t


# $ phobosc store_to_part_of_a_tile.py
# store_to_part_of_a_tile.py:9:5: error: `t` is a `let` and cannot be assigned again
#         t[0] = 1.0
#         ^
# store_to_part_of_a_tile.py:8:5: note: it is bound here
#         t: ph.let = x[0:+64]
#         ^
# hint: declare it with ph.var
# exit status 1
