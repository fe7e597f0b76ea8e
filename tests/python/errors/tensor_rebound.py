from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    x = x[0:+64] * 2.0


# $ phobosc tensor_rebound.py
# tensor_rebound.py:8:5: error: `x` is a tensor and cannot be assigned
#         x = x[0:+64] * 2.0
#         ^
# hint: store into a slice of it: x[...] = value
# exit status 1
