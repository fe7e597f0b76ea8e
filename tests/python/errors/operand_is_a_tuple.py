from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def add(x: ph.tensor[ph.f32][N]):
    x[0:+2] = x[0:+2] * (2.0, 3.0)


# $ phobosc operand_is_a_tuple.py
# operand_is_a_tuple.py:8:25: error: expected a number or a tile as an operand of `*`, got a tuple
#         x[0:+2] = x[0:+2] * (2.0, 3.0)
#                             ^~~~~~~~~~
# exit status 1
