from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.autotune(TILE=[64, 128])
def scale(x: ph.tensor[ph.f32][N]):
    x[0:+TILE] = x[0:+TILE] * 2.0


# $ phobosc constant_given_twice.py -D TILE=64 -D TILE=128
# error: -D TILE is given twice
# hint: phobosc --help lists options, phases and chips
# exit status 2
