from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], mode: ph.i32):
    if mode is 1:
        x[0:+64] = 0.0


# $ phobosc is_between_values.py
# is_between_values.py:8:8: error: `is` compares constants only
#         if mode is 1:
#            ^~~~~~~~~
# hint: write == or != for values
# exit status 1
