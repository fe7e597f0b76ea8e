from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    if (n := ph.ctx.block.x) > 0:
        x[n] = 0.0


# $ phobosc assignment_expression.py
# assignment_expression.py:8:11: error: an assignment inside an expression (`:=`) is not part of the kernel language
#         if (n := ph.ctx.block.x) > 0:
#               ^~
# hint: assign on a line of its own
# exit status 1
