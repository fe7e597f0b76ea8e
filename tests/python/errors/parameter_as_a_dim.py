from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][n], n: ph.i32):
    x[0:+64] = 0.0


# $ phobosc parameter_as_a_dim.py
# parameter_as_a_dim.py:7:32: error: `n` is a parameter, not a dim
#     def apply(x: ph.tensor[ph.f32][n], n: ph.i32):
#                                    ^
# hint: dims are names of their own, bound from the shapes at launch
# exit status 1
