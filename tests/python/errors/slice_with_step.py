from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def even(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N]):
    y[0:+32] = x[0:64:2]


# $ phobosc slice_with_step.py
# slice_with_step.py:8:23: error: a slice with a step is not supported
#         y[0:+32] = x[0:64:2]
#                           ^
# hint: take every element of a span, or pass a tensor with that stride
# exit status 1
