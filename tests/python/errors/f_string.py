from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    ph.print(f"block {ph.ctx.block.x}")
    x[0:+64] = 0.0


# $ phobosc f_string.py
# f_string.py:8:14: error: an f-string is not part of the kernel language
#         ph.print(f"block {ph.ctx.block.x}")
#                  ^~~~~~~~~~~~~~~~~~~~~~~~~
# hint: `ph.print` and `ph.assert_` take values as further arguments
# exit status 1
