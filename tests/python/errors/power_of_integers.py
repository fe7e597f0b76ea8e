from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def square(x: ph.tensor[ph.i32][N]):
    x[0:+64] = x[0:+64] ** 2


# $ phobosc power_of_integers.py
# power_of_integers.py:8:16: error: `**` on integers is not supported yet
#         x[0:+64] = x[0:+64] ** 2
#                    ^~~~~~~~~~~~~
# hint: write x * x, or convert: ph.f32(x) ** y
# exit status 1
