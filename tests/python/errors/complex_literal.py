from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    x[0:+64] = x[0:+64] * 1j


# $ phobosc complex_literal.py
# complex_literal.py:8:27: error: a complex number is not part of the kernel language
#         x[0:+64] = x[0:+64] * 1j
#                               ^~
# exit status 1
