from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+16] = ph.load(x[0:+16], evict="first")


# $ phobosc load_with_eviction.py
# load_with_eviction.py:8:40: error: `evict` of `ph.load` is not supported yet
#         x[0:+16] = ph.load(x[0:+16], evict="first")
#                                            ^~~~~~~
# exit status 1
