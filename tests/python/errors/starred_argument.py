from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    shape = (8, 8)
    x[0:+64] = ph.flat(ph.zeros(*shape))


# $ phobosc starred_argument.py
# starred_argument.py:9:33: error: unpacking with `*` is not part of the kernel language
#         x[0:+64] = ph.flat(ph.zeros(*shape))
#                                     ^
# hint: write the elements out
# exit status 1
