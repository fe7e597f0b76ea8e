# The second operand is K by N already.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def bump(x: ph.tensor[ph.f16][M, N], y: ph.tensor[ph.f32][M, N]):
    y[0:+16, 0:+32] = ph.dot_t(x[0:+16, 0:+16], x[0:+16, 0:+32])


# $ phobosc dot_t_of_what_is_not_transposed.py
# dot_t_of_what_is_not_transposed.py:9:23: error: `ph.dot_t` of f16[16, 16] and f16[16, 32]: the inner extents are 16 and 32
#         y[0:+16, 0:+32] = ph.dot_t(x[0:+16, 0:+16], x[0:+16, 0:+32])
#                           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# hint: write ph.dot(a, b): b is not transposed
# exit status 1
