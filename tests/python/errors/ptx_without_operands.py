from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def kernel(x: ph.tensor[ph.f32][N], b: ph.tensor[ph.u8][N]):
    t = x[0:+64]
    x[0] = ph.ptx("mov.u32 $0, %laneid;", dtype=ph.u32)


# $ phobosc ptx_without_operands.py
# ptx_without_operands.py:9:12: error: `ph.ptx` needs an operand: what it makes, it makes of each element of a tile, or of a number
#         x[0] = ph.ptx("mov.u32 $0, %laneid;", dtype=ph.u32)
#                ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# hint: what a thread is cannot be asked for; ph.ctx.block says which block this is
# exit status 1
