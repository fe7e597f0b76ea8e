from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def regroup(x: ph.tensor[ph.f32][16, 96], y: ph.tensor[ph.f32][16, 32, 3]):
    y[:, :, :] = ph.reshape(x[:, :], 16, 32, 3)


# $ phobosc reshape_of_odd_extents.py
# reshape_of_odd_extents.py:8:18: error: expected extents that are powers of two behind the first that changes, in a reshape from [16, 96] to [16, 32, 3]
#         y[:, :, :] = ph.reshape(x[:, :], 16, 32, 3)
#                      ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# exit status 1
