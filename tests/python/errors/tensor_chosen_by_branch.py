from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def zero(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N], first: ph.bool):
    t = x
    if not first:
        t = y
    t[0:+64] = 0.0


# $ phobosc tensor_chosen_by_branch.py
# tensor_chosen_by_branch.py:8:5: error: a variable holds a number or a tile, got the tensor `x`
#         t = x
#         ^~~~~
# hint: a name for anything else can be set only once
# exit status 1
