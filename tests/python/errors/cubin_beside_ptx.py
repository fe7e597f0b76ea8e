# Several phases go to standard output under headers; machine code cannot.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc cubin_beside_ptx.py --emit ptx,cubin
# error: a cubin is not text: name a file with -o
# hint: phobosc --help lists options, phases and chips
# exit status 2
