from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tile[ph.f32][64]):
    x[0:+64] = 0.0


# $ phobosc parameter_tile.py
# parameter_tile.py:7:14: error: a kernel takes tensors and scalars, a tile is a value inside
#     def apply(x: ph.tile[ph.f32][64]):
#                  ^~~~~~~~~~~~~~~~~~~
# hint: write ph.tensor[...][...] and load a slice of it
# exit status 1
