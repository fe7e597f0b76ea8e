from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def copy(x: ph.tensor[ph.f32][N]):
    t: ph.var[ph.tile[ph.f16][64]] = x[0:+64]
    x[0:+64] = t


# $ phobosc declared_narrower_than_its_value.py
# declared_narrower_than_its_value.py:8:38: error: `t` is f16[64], got f32[64]
#         t: ph.var[ph.tile[ph.f16][64]] = x[0:+64]
#                                          ^~~~~~~~
# declared_narrower_than_its_value.py:8:5: note: `t` is first set here
#         t: ph.var[ph.tile[ph.f16][64]] = x[0:+64]
#         ^
# hint: convert the value: ph.f16(...)
# exit status 1
