from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def kernel(x: ph.tensor[ph.f32][N]):
    first: ph.let = ph.ctx.block.x == 0
    if first:
        x[0] = 1.0
        ph.grid_barrier()


# $ phobosc grid_barrier_of_some_blocks.py
# grid_barrier_of_some_blocks.py:11:9: error: a barrier of the grid where not every block comes
#             ph.grid_barrier()
#             ^~~~~~~~~~~~~~~
# grid_barrier_of_some_blocks.py:9:5: note: this depends on the number of the block
#         if first:
#         ^~
# hint: move ph.grid_barrier() out, to where every block of the grid comes
# exit status 1
