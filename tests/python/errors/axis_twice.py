from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][M, N]):
    x[0, 0] = ph.sum(x[0:+16, 0:+16], axis=(1, -1))


# $ phobosc axis_twice.py
# axis_twice.py:8:44: error: axis 1 is given twice
#         x[0, 0] = ph.sum(x[0:+16, 0:+16], axis=(1, -1))
#                                                ^~~~~~~
# exit status 1
