from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.float32][N]):
    x[0:+64] = 0.0


# $ phobosc dtype_by_numpy_name.py
# dtype_by_numpy_name.py:7:24: error: expected a dtype of a tensor, got `ph.float32`
#     def apply(x: ph.tensor[ph.float32][N]):
#                            ^~~~~~~~~~
# hint: did you mean `ph.f32`?
# exit status 1
