from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][M, N], axis: ph.i32):
    x[0, 0:+16] = ph.sum(x[0:+16, 0:+16], axis=axis)


# $ phobosc axis_at_run_time.py
# axis_at_run_time.py:8:48: error: expected a constant int, or a tuple of them, as `axis`, got a scalar i32
#         x[0, 0:+16] = ph.sum(x[0:+16, 0:+16], axis=axis)
#                                                    ^~~~
# exit status 1
