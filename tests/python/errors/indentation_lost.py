from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    for i in range(4):
    x[i] = 0.0


# $ phobosc indentation_lost.py
# indentation_lost.py:9:5: error: expected an indented block after the range of `for`, got `x`
#         x[i] = 0.0
#         ^
# hint: `pass` is the empty block
# exit status 1
