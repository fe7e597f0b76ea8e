from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def add(x: ph.tensor[ph.f8e4m3][N]):
    x[0:+64] = x[0:+64] + x[64:+64]


# $ phobosc f8_computed_with.py
# f8_computed_with.py:8:16: error: f8e4m3 is a storage type; `+` does not compute in it
#         x[0:+64] = x[0:+64] + x[64:+64]
#                    ^~~~~~~~~~~~~~~~~~~~
# hint: convert first: ph.f16(x) or ph.f32(x)
# exit status 1
