from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.persistent
def kernel(x: ph.tensor[ph.f32][N]):
    x[ph.ctx.block.x] = 1.0
    ph.grid_barrier()


# $ phobosc grid_barrier_in_persistent.py
# grid_barrier_in_persistent.py:10:5: error: `ph.grid_barrier` in a `@ph.persistent` kernel: a block would wait for blocks that begin when it ends
#         ph.grid_barrier()
#         ^~~~~~~~~~~~~~~~~
# hint: drop @ph.persistent: launch as many blocks as the device holds, each with a loop over its tiles
# exit status 1
