from __future__ import annotations

import numpy as np

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = np.exp(x[0:+64])


# $ phobosc call_of_numpy.py
# call_of_numpy.py:10:16: error: `np` is imported; a kernel sees device functions of other files, and nothing else of them
#         x[0:+64] = np.exp(x[0:+64])
#                    ^~
# hint: write `ph.exp`
# exit status 1
