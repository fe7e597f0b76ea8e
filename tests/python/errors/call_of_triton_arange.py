from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = ph.arange(0, 64)


# $ phobosc call_of_triton_arange.py
# call_of_triton_arange.py:8:16: error: `ph.arange` is not known
#         x[0:+64] = ph.arange(0, 64)
#                    ^~~~~~~~~
# hint: did you mean `ph.iota`?
# exit status 1
