from __future__ import annotations

import phobos.lang as ph


@ph.kernel
async def scale(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc async_kernel.py
# async_kernel.py:6:2: error: `@ph.kernel` decorates a plain function, got an async one
#     @ph.kernel
#      ^~~~~~~~~
# exit status 1
