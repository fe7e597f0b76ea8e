from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.autotune(TILE=[64])
@ph.aligned(M="TILE")
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+TILE] = 0.0


# $ phobosc aligned_of_an_unknown_dim.py
# aligned_of_an_unknown_dim.py:8:13: error: `M` is not a dim of `apply`
#     @ph.aligned(M="TILE")
#                 ^
# hint: its dims are N
# exit status 1
