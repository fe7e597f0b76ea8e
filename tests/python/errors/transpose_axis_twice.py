from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def flip(x: ph.tensor[ph.f32][M, N]):
    x[0:+16, 0:+16] = ph.transpose(x[0:+16, 0:+16], 0, 0)


# $ phobosc transpose_axis_twice.py
# transpose_axis_twice.py:8:23: error: expected each of the 2 axes once
#         x[0:+16, 0:+16] = ph.transpose(x[0:+16, 0:+16], 0, 0)
#                           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# exit status 1
