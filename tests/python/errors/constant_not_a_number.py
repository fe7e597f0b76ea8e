from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.autotune(TILE=[64, 128])
def scale(x: ph.tensor[ph.f32][N]):
    x[0:+TILE] = x[0:+TILE] * 2.0


# $ phobosc constant_not_a_number.py -D TILE=large
# error: -D TILE: 'large' is not a number, True, False, a string in quotes or a dtype
# hint: phobosc --help lists options, phases and chips
# exit status 2
