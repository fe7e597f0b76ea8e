# The extent is written out, so there is nothing for -D to set.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    x[0:+64] = x[0:+64] * 2.0


# $ phobosc constant_on_a_plain_kernel.py -D TILE=100
# error: -D TILE: kernel 'scale' has no such constant (it has none)
# hint: phobosc --help lists options, phases and chips
# exit status 2
