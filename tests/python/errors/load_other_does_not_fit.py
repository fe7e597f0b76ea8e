# The neutral element of a minimum, but of floats.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.i32][N]):
    x[0] = ph.min(ph.load(x[0:+16], other=float("inf")))


# $ phobosc load_other_does_not_fit.py
# load_other_does_not_fit.py:9:43: error: inf is a float, i32 holds integers
#         x[0] = ph.min(ph.load(x[0:+16], other=float("inf")))
#                                               ^~~~~~~~~~~~
# exit status 1
