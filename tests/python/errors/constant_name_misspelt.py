from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.autotune(TILE=[64, 128])
def scale(x: ph.tensor[ph.f32][N]):
    x[0:+TILE] = x[0:+TILE] * 2.0


# $ phobosc constant_name_misspelt.py -D TILF=128
# error: -D TILF: kernel 'scale' has no such constant; did you mean 'TILE'? (it has TILE)
# hint: phobosc --help lists options, phases and chips
# exit status 2
