from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    if ph.ctx.block.x == 0:
        factor = 2.0
    x[0:+64] = x[0:+64] * factor


# $ phobosc name_set_in_one_branch.py
# name_set_in_one_branch.py:10:27: error: `factor` might not be set here
#         x[0:+64] = x[0:+64] * factor
#                               ^~~~~~
# name_set_in_one_branch.py:9:9: note: it is set here, which is not on every path
#             factor = 2.0
#             ^~~~~~
# hint: set it before the branch or loop
# exit status 1
