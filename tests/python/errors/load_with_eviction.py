from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+16] = ph.load(x[0:+16], evict="sometimes")


# $ phobosc load_with_eviction.py
# load_with_eviction.py:8:40: error: expected one of "first", "last", "normal", "unchanged" as `evict`, got "sometimes"
#         x[0:+16] = ph.load(x[0:+16], evict="sometimes")
#                                            ^~~~~~~~~~~
# exit status 1
