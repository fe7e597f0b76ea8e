from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def relu(x: ph.tensor[ph.f32][N]):
    t = x[0:+64]
    t[t < 0] = 0.0
    x[0:+64] = t


# $ phobosc part_of_a_tile_by_a_mask.py
# part_of_a_tile_by_a_mask.py:9:7: error: a mask cannot select elements of a tile: how many there are is known only at run time
#         t[t < 0] = 0.0
#           ^~~~~
# hint: t = ph.where(mask, new, t)
# exit status 1
