from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    options = {"tile": 64}
    x[0:+64] = options["tile"]


# $ phobosc dict_literal.py
# dict_literal.py:8:15: error: a dict is not part of the kernel language
#         options = {"tile": 64}
#                   ^
# exit status 1
