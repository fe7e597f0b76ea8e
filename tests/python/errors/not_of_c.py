from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], flag: ph.bool):
    if !flag:
        x[0:+64] = 0.0


# $ phobosc not_of_c.py
# not_of_c.py:8:8: error: unexpected `!`
#         if !flag:
#            ^
# hint: `not` negates; `!=` compares
# exit status 1
