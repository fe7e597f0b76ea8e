from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N], BLOCK: ph.const):
    x[0:+BLOCK] = 0.0


# $ phobosc parameter_const_without_type.py
# parameter_const_without_type.py:7:43: error: expected the type of a constant parameter
#     def apply(x: ph.tensor[ph.f32][N], BLOCK: ph.const):
#                                               ^~~~~~~~
# hint: write ph.const[bool] or ph.const[ph.i32]
# exit status 1
