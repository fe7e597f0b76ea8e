from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = ph.cdiv(x[0:+64], 2.0)


# $ phobosc cdiv_of_floats.py
# cdiv_of_floats.py:8:16: error: `ph.cdiv` takes integers, got f32
#         x[0:+64] = ph.cdiv(x[0:+64], 2.0)
#                    ^~~~~~~~~~~~~~~~~~~~~~
# exit status 1
