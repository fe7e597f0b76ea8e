# The result is half as long as the operand.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N // 2]):
    y[0:+64] = x[0:+64]


# $ phobosc tensor_of_computed_dim.py
# tensor_of_computed_dim.py:8:57: error: expected a name or a constant as dim; `N` is not constant
#     def apply(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N // 2]):
#                                                             ^~~~~~
# hint: a dim that follows from others is computed in the kernel
# exit status 1
