from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def gather(x: ph.tensor[ph.f32][N], index: ph.tensor[ph.i32][48, 4], y: ph.tensor[ph.f32][48, 4]):
    y[:, :] = x[index[:, :]]


# $ phobosc gather_of_odd_axes.py
# gather_of_odd_axes.py:8:17: error: an index of shape [48, 4], of several axes that are no powers of two is not supported yet
#         y[:, :] = x[index[:, :]]
#                     ^~~~~~~~~~~
# hint: take indices of one axis
# exit status 1
