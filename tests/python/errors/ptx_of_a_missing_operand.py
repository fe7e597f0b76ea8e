from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def kernel(x: ph.tensor[ph.f32][N], b: ph.tensor[ph.u8][N]):
    t = x[0:+64]
    x[0:+64] = ph.ptx("add.f32 $0, $1, $2;", t)


# $ phobosc ptx_of_a_missing_operand.py
# ptx_of_a_missing_operand.py:9:23: error: `$2` stands for no operand: there are 1
#         x[0:+64] = ph.ptx("add.f32 $0, $1, $2;", t)
#                           ^~~~~~~~~~~~~~~~~~~~~
# hint: $0 is the result, $1 the first operand
# exit status 1
