from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.dependent
def kernel(x: ph.tensor[ph.f32][N]):
    x[ph.ctx.block.x] = 1.0
    ph.grid_barrier()


# $ phobosc grid_barrier_in_dependent.py
# grid_barrier_in_dependent.py:10:5: error: `ph.grid_barrier` in a `@ph.dependent` kernel: its blocks may begin before there is room for all of them
#         ph.grid_barrier()
#         ^~~~~~~~~~~~~~~~~
# hint: drop @ph.dependent
# exit status 1
