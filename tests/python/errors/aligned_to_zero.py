from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.aligned(N=0)
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc aligned_to_zero.py
# aligned_to_zero.py:7:15: error: expected the name of a constant, as a string, or a positive int
#     @ph.aligned(N=0)
#                   ^
# exit status 1
