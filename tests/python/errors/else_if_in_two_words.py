from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    if ph.ctx.block.x == 0:
        x[0] = 0.0
    else if ph.ctx.block.x == 1:
        x[0] = 1.0


# $ phobosc else_if_in_two_words.py
# else_if_in_two_words.py:10:10: error: expected `:` after `else`, got `if`
#         else if ph.ctx.block.x == 1:
#              ^~
# exit status 1
