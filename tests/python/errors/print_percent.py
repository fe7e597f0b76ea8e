from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    ph.print("block %d" % ph.ctx.block.x)


# $ phobosc print_percent.py
# print_percent.py:8:14: error: expected a number or a tile as an operand of `%`, got a string
#         ph.print("block %d" % ph.ctx.block.x)
#                  ^~~~~~~~~~
# exit status 1
