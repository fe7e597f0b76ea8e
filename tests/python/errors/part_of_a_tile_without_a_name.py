from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def clear(x: ph.tensor[ph.f32][N]):
    (x[0:+64] * 2)[0] = 0.0


# $ phobosc part_of_a_tile_without_a_name.py
# part_of_a_tile_without_a_name.py:8:5: error: expected a slice of a tensor, or a part of a tile that has a name, to assign to
#         (x[0:+64] * 2)[0] = 0.0
#         ^~~~~~~~~~~~~~~~~
# exit status 1
