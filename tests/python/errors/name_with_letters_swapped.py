from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32):
    x[0:+64] = x[0:+64] * alhpa


# $ phobosc name_with_letters_swapped.py
# name_with_letters_swapped.py:8:27: error: `alhpa` is not defined
#         x[0:+64] = x[0:+64] * alhpa
#                               ^~~~~
# hint: did you mean `alpha`?
# exit status 1
