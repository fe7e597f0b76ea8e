from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def kernel(x: ph.tensor[ph.f32][N]):
    start: ph.let = ph.ctx.block.x * 64
    if start >= N:
        return
    x[start:+64] = 1.0
    ph.grid_barrier()


# $ phobosc grid_barrier_after_a_return.py
# grid_barrier_after_a_return.py:12:5: error: a barrier of the grid where not every block comes
#         ph.grid_barrier()
#         ^~~~~~~~~~~~~~~
# grid_barrier_after_a_return.py:9:5: note: this depends on the number of the block
#         if start >= N:
#         ^~
# hint: move ph.grid_barrier() out, to where every block of the grid comes
# exit status 1
