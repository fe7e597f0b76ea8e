from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def kernel(x: ph.tensor[ph.f32][N], b: ph.tensor[ph.u8][N]):
    t = x[0:+64]
    x[0:+64] = ph.load(x[64:+64], cache="l2")


# $ phobosc load_with_an_unknown_hint.py
# load_with_an_unknown_hint.py:9:41: error: expected one of "ca", "cg", "cs", "cv" as `cache`, got "l2"
#         x[0:+64] = ph.load(x[64:+64], cache="l2")
#                                             ^~~~
# exit status 1
