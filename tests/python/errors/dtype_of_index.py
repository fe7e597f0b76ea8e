from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    i = ph.ctx.block.x
    x[i] = ph.zeros(1, i.dtype)[0]


# $ phobosc dtype_of_index.py
# dtype_of_index.py:9:24: error: an index has no dtype
#         x[i] = ph.zeros(1, i.dtype)[0]
#                            ^~~~~~~
# hint: convert it: ph.i32(...) or ph.i64(...)
# exit status 1
