from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+16] = ph.load(x[0:+16], other=ph.zeros(8))


# $ phobosc load_other_is_a_tile.py
# load_other_is_a_tile.py:8:40: error: expected a scalar as `other`, got a tile f32[8]
#         x[0:+16] = ph.load(x[0:+16], other=ph.zeros(8))
#                                            ^~~~~~~~~~~
# exit status 1
