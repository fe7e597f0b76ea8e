from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def clip(x: ph.tensor[ph.f32][N]):
    x[0:+64] = x[0:+64] << 2


# $ phobosc shift_of_a_float.py
# shift_of_a_float.py:8:16: error: `<<` takes integers, got f32
#         x[0:+64] = x[0:+64] << 2
#                    ^~~~~~~~~~~~~
# exit status 1
