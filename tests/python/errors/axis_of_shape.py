from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def fill(x: ph.tensor[ph.f32][N]):
    x[x.shape[1]] = 0.0


# $ phobosc axis_of_shape.py
# axis_of_shape.py:8:15: error: axis 1 is out of range for a tensor of rank 1
#         x[x.shape[1]] = 0.0
#                   ^
# exit status 1
