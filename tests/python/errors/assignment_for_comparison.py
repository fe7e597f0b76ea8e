from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    if ph.ctx.block.x = 0:
        x[0:+64] = 0.0


# $ phobosc assignment_for_comparison.py
# assignment_for_comparison.py:8:23: error: expected `:` after the condition of `if`, got `=`
#         if ph.ctx.block.x = 0:
#                           ^
# hint: `==` compares
# exit status 1
