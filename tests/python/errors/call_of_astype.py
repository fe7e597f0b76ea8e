from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f16][N]):
    y[0:+64] = x[0:+64].astype(ph.f16)


# $ phobosc call_of_astype.py
# call_of_astype.py:8:25: error: a slice f32[64] has no attribute `astype`
#         y[0:+64] = x[0:+64].astype(ph.f16)
#                             ^~~~~~
# hint: convert with a dtype: ph.f16(x)
# exit status 1
