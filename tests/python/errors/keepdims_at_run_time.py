from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][M, N], y: ph.tensor[ph.f32][M, 1], keep: ph.bool):
    y[0:+16, :] = ph.sum(x[0:+16, 0:+16], axis=1, keepdims=keep)


# $ phobosc keepdims_at_run_time.py
# keepdims_at_run_time.py:8:60: error: expected True or False as `keepdims`, got a scalar bool
#         y[0:+16, :] = ph.sum(x[0:+16, 0:+16], axis=1, keepdims=keep)
#                                                                ^~~~
# exit status 1
