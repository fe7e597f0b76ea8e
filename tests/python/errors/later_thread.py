from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    i = ph.ctx.block.x * 256 + ph.ctx.thread.x
    x[i] = 0.0


# $ phobosc later_thread.py
# later_thread.py:8:32: error: `ph.ctx.thread.x` is not supported yet
#         i = ph.ctx.block.x * 256 + ph.ctx.thread.x
#                                    ^~~~~~~~~~~~~~~
# exit status 1
