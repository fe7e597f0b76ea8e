from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][M, N]):
    t = ph.zeros((4096, 4096))
    x[0, 0] = ph.sum(t)


# $ phobosc tile_too_large.py
# tile_too_large.py:8:18: error: a tile of shape [4096, 4096] has more than 1048576 elements
#         t = ph.zeros((4096, 4096))
#                      ^~~~~~~~~~~~
# exit status 1
