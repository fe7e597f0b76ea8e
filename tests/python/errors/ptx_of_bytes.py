from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def kernel(x: ph.tensor[ph.f32][N], b: ph.tensor[ph.u8][N]):
    t = x[0:+64]
    x[0:+64] = ph.ptx("cvt.f32.u8 $0, $1;", b[0:+64], dtype=ph.f32)


# $ phobosc ptx_of_bytes.py
# ptx_of_bytes.py:9:45: error: expected no u8 in `ph.ptx`: PTX has registers of 16, 32 and 64 bits
#         x[0:+64] = ph.ptx("cvt.f32.u8 $0, $1;", b[0:+64], dtype=ph.f32)
#                                                 ^~~~~~~~
# hint: convert it: ph.i32(...)
# exit status 1
