from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N] = None):
    y[0:+16] = x[0:+16]


# $ phobosc parameter_with_a_default.py
# parameter_with_a_default.py:7:62: error: a tensor has no default value
#     def scale(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N] = None):
#                                                                  ^~~~
# hint: give one at each launch
# exit status 1
