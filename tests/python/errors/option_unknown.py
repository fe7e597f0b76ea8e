from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    x[0:+64] = x[0:+64] * 2.0


# $ phobosc option_unknown.py --optimize
# error: unknown option '--optimize'
# hint: phobosc --help lists options, phases and chips
# exit status 2
