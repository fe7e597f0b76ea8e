from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+16] = ph.broadcast(x[0:+64], 16)


# $ phobosc broadcast_smaller.py
# broadcast_smaller.py:8:16: error: a tile of shape [64] does not broadcast to [16]
#         x[0:+16] = ph.broadcast(x[0:+64], 16)
#                    ^~~~~~~~~~~~~~~~~~~~~~~~~~
# exit status 1
