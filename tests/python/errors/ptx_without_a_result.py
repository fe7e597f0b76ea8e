from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def kernel(x: ph.tensor[ph.f32][N], b: ph.tensor[ph.u8][N]):
    t = x[0:+64]
    x[0:+64] = ph.ptx("membar.gl;", t)


# $ phobosc ptx_without_a_result.py
# ptx_without_a_result.py:9:23: error: the PTX does not write its result, `$0`
#         x[0:+64] = ph.ptx("membar.gl;", t)
#                           ^~~~~~~~~~~~
# hint: what only has an effect cannot be written in PTX
# exit status 1
