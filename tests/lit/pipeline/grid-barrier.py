# RUN: phobosc %s --arch sm_80 --emit pipelined --remarks 2>&1 | FileCheck %s
# If this fails, copies of what other blocks write in this turn are started a turn before they have written it.
from __future__ import annotations

import phobos.lang as ph

# CHECK: remark: not pipelined: in each turn blocks wait for each other
# CHECK: scf.for
# CHECK: dot.copy_async
# CHECK: dot.commit
# CHECK: dot.wait
# CHECK: tile.grid_barrier


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def chain(A: ph.tensor[ph.f16][T, 64, 64], B: ph.tensor[ph.f16][64, 64], C: ph.tensor[ph.f32][64, 64]):
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0.0
    for turn in range(T - 1):
        acc += ph.dot(A[turn, :, :], B[:, :])
        A[turn + 1, ph.ctx.block.x, :] = turn
        ph.grid_barrier()
    C[:, :] = acc
