from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[N][ph.f32]):
    x[0:+64] = 0.0


# $ phobosc tensor_dims_first.py
# tensor_dims_first.py:7:24: error: expected a dtype of a tensor, got `N`
#     def apply(x: ph.tensor[N][ph.f32]):
#                            ^
# tensor_dims_first.py:7:27: error: expected a name or an int that is not negative as dim, got f32
#     def apply(x: ph.tensor[N][ph.f32]):
#                               ^~~~~~
# exit status 1
