from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.autotune(TILE=[64, 128])
def scale(x: ph.tensor[ph.f32][N]):
    x[0:+TILE] = x[0:+TILE] * 2.0


# $ phobosc constant_negative.py -D TILE=-64
# constant_negative.py:9:23: error: expected a positive constant int as the length of a span, got -64
#         x[0:+TILE] = x[0:+TILE] * 2.0
#                           ^~~~
# hint: a tile has a static shape: only the start of a span is known at run time
# constant_negative.py:9:10: error: expected a positive constant int as the length of a span, got -64
#         x[0:+TILE] = x[0:+TILE] * 2.0
#              ^~~~
# hint: a tile has a static shape: only the start of a span is known at run time
# exit status 1
