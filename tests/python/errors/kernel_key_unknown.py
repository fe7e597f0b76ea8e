from __future__ import annotations

import phobos.lang as ph


@ph.kernel(key=["M"])
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc kernel_key_unknown.py
# kernel_key_unknown.py:6:17: error: `M` is neither a dim nor a scalar parameter of `apply`
#     @ph.kernel(key=["M"])
#                     ^~~
# exit status 1
