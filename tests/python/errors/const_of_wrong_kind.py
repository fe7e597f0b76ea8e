from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], relu: ph.const[ph.bool]):
    x[0:+64] = ph.max(x[0:+64], 0.0) if relu else x[0:+64]


# $ phobosc const_of_wrong_kind.py -D relu=1.5
# const_of_wrong_kind.py:7:36: error: expected a value of type bool for `relu`, got a float
#     def scale(x: ph.tensor[ph.f32][N], relu: ph.const[ph.bool]):
#                                        ^~~~~~~~~~~~~~~~~~~~~~~
# exit status 1
