from __future__ import annotations

import os

import phobos.lang as ph

TILE = int(os.environ.get("TILE", "64"))


@ph.kernel
def zero(x: ph.tensor[ph.f32][N]):
    x[0:+TILE] = 0.0


# $ phobosc capture_from_the_environment.py
# capture_from_the_environment.py:12:10: error: the value of `TILE` cannot be read from the text
#         x[0:+TILE] = 0.0
#              ^~~~
# hint: assign it once, to a constant, or give phobosc its value: -D TILE=...
# exit status 1
