from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    t = ph.reshape(x[0:+64], 10, 6)
    x[0] = ph.sum(t)


# $ phobosc reshape_to_another_size.py
# reshape_to_another_size.py:8:9: error: a tile of shape [64] has 64 elements and cannot be reshaped to [10, 6]
#         t = ph.reshape(x[0:+64], 10, 6)
#             ^~~~~~~~~~~~~~~~~~~~~~~~~~~
# exit status 1
