from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def add(x: ph.tensor[ph.f32][N]):
    x[0:+64] = x[0:+64] * ph.rand


# $ phobosc operand_is_a_function.py
# operand_is_a_function.py:8:27: error: expected a number or a tile as an operand of `*`, got `ph.rand`
#         x[0:+64] = x[0:+64] * ph.rand
#                               ^~~~~~~
# hint: call it with (...)
# exit status 1
