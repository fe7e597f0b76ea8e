from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def pick(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N], n: ph.i32):
    both = (x, y)
    both[n][0:+64] = 0.0


# $ phobosc tuple_index_at_run_time.py
# tuple_index_at_run_time.py:9:10: error: expected a constant int as the index of a tuple, got a scalar i32
#         both[n][0:+64] = 0.0
#              ^
# exit status 1
