from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def corner(x: ph.tensor[ph.f32][M, N]):
    x[0:+16, 0:+16, 0] = 0.0


# $ phobosc slice_too_many.py
# slice_too_many.py:8:7: error: too many indices: `x` has rank 2, got 3
#         x[0:+16, 0:+16, 0] = 0.0
#           ^~~~~~~~~~~~~~~
# exit status 1
