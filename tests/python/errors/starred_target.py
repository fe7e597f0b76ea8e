from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    first, *rest = 1.0, 2.0, 3.0
    x[0:+64] = first


# $ phobosc starred_target.py
# starred_target.py:8:12: error: unpacking with `*` is not part of the kernel language
#         first, *rest = 1.0, 2.0, 3.0
#                ^
# hint: write the elements out
# exit status 1
