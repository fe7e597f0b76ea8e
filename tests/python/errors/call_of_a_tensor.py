from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = x(0)


# $ phobosc call_of_a_tensor.py
# call_of_a_tensor.py:8:16: error: the tensor `x` cannot be called
#         x[0:+64] = x(0)
#                    ^
# exit status 1
