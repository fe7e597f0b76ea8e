from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def kernel(x: ph.tensor[ph.f32][N], b: ph.tensor[ph.u8][N]):
    t = x[0:+64]
    x[0:+64] = ph.ptx("add.f32 $0, $1, $2;", t, 1.0)


# $ phobosc ptx_of_a_number.py
# ptx_of_a_number.py:9:49: error: a number has no dtype in `ph.ptx`
#         x[0:+64] = ph.ptx("add.f32 $0, $1, $2;", t, 1.0)
#                                                     ^~~
# hint: write it in the text, or give it one: ph.i32(1)
# exit status 1
