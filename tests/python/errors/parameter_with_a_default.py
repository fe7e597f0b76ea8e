from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N], alpha: ph.f32 = 2.0):
    x[0:+64] = alpha


# $ phobosc parameter_with_a_default.py
# parameter_with_a_default.py:7:52: error: default values of parameters are not supported yet
#     def apply(x: ph.tensor[ph.f32][N], alpha: ph.f32 = 2.0):
#                                                        ^~~
# hint: leave it out, and give the value at each launch
# exit status 1
