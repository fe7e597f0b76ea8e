# RUN: phobosc %s --arch sm_80 --emit tile --remarks 2>&1 | FileCheck %s
# If this fails, tiles cannot be shared out among three warps, or nobody is told that two do the work.
from __future__ import annotations

import phobos.lang as ph

# CHECK: remark: blocks of 64 threads in place of 96: tiles are shared out among a power of two of warps
# CHECK: tile.threads = 64 : i32


@ph.kernel
@ph.launch(96)
def halve(x: ph.tensor[ph.f32][N]):
    start: ph.let = ph.ctx.block.x * 512
    x[start:+512] = x[start:+512] / ph.max(x[start:+512])
