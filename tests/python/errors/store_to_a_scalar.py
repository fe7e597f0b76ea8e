from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    i = 3
    i[0] = 1
    x[0] = i


# $ phobosc store_to_a_scalar.py
# store_to_a_scalar.py:9:5: error: an int cannot be subscripted
#         i[0] = 1
#         ^~~~
# exit status 1
