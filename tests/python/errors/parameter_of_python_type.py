from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N], n: int):
    x[0:+64] = n


# $ phobosc parameter_of_python_type.py
# parameter_of_python_type.py:7:39: error: a parameter of type `int` has no width
#     def apply(x: ph.tensor[ph.f32][N], n: int):
#                                           ^~~
# hint: write ph.i32 or ph.i64, or ph.const[int]
# exit status 1
