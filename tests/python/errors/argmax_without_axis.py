from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][M, N], y: ph.tensor[ph.i32][1]):
    y[0] = ph.argmax(x[0:+16, 0:+16])


# $ phobosc argmax_without_axis.py
# argmax_without_axis.py:8:12: error: `ph.argmax` needs an axis for a tile of rank 2
#         y[0] = ph.argmax(x[0:+16, 0:+16])
#                ^~~~~~~~~~~~~~~~~~~~~~~~~~
# hint: write axis=..., or make it flat: ph.argmax(ph.flat(t))
# exit status 1
