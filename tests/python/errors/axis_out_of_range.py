from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0] = ph.sum(x[0:+64], axis=1)


# $ phobosc axis_out_of_range.py
# axis_out_of_range.py:8:34: error: axis 1 is out of range for a tile of rank 1
#         x[0] = ph.sum(x[0:+64], axis=1)
#                                      ^
# exit status 1
