from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def kernel(x: ph.tensor[ph.f32][N], b: ph.tensor[ph.u8][N]):
    t = x[0:+64]
    x[0:+64] = ph.load(x[64:+64], cache="cg", evict="first")


# $ phobosc load_with_two_hints.py
# load_with_two_hints.py:9:53: error: `cache` and `evict` cannot both be given
#         x[0:+64] = ph.load(x[64:+64], cache="cg", evict="first")
#                                                         ^~~~~~~
# hint: a load of PTX takes one of them
# exit status 1
