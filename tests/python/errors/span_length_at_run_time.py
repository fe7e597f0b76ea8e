from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def fill(x: ph.tensor[ph.f32][N], width: ph.i32):
    x[0:+width] = 0.0


# $ phobosc span_length_at_run_time.py
# span_length_at_run_time.py:8:10: error: expected a positive constant int as the length of a span, got a scalar i32
#         x[0:+width] = 0.0
#              ^~~~~
# hint: a tile has a static shape: only the start of a span is known at run time
# exit status 1
