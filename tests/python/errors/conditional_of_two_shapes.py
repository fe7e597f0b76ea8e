from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def bump(x: ph.tensor[ph.f32][N], mode: ph.i32):
    t = x[0:+16] if mode > 0 else x[0:+32]
    x[0] = ph.sum(t)


# $ phobosc conditional_of_two_shapes.py
# conditional_of_two_shapes.py:8:9: error: shapes [16] and [32] do not broadcast in `if` in an expression
#         t = x[0:+16] if mode > 0 else x[0:+32]
#             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# exit status 1
