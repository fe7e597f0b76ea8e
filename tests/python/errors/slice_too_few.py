from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def corner(x: ph.tensor[ph.f32][M, N]):
    x[0:+16] = 0.0


# $ phobosc slice_too_few.py
# slice_too_few.py:8:7: error: expected 2 indices: `x` has rank 2, got 1
#         x[0:+16] = 0.0
#           ^~~~~
# exit status 1
