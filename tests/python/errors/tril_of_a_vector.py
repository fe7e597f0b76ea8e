from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+16] = ph.tril(x[0:+16])


# $ phobosc tril_of_a_vector.py
# tril_of_a_vector.py:8:24: error: expected a tile of rank 2 for `ph.tril`, got f32[16]
#         x[0:+16] = ph.tril(x[0:+16])
#                            ^~~~~~~~
# exit status 1
