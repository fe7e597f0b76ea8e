# Masked out with a large negative number, as attention kernels do: in f16 there is -inf, or ph.f32(t).
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def mask(x: ph.tensor[ph.f16][N]):
    t = x[0:+64]
    x[0:+64] = ph.where(t > 0, t, -1e9)


# $ phobosc literal_too_large_for_f16.py
# literal_too_large_for_f16.py:10:35: error: -1000000000.0 does not fit in f16 (largest 65504.0)
#         x[0:+64] = ph.where(t > 0, t, -1e9)
#                                       ^~~~
# exit status 1
