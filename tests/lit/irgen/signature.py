# RUN: phobosc --emit tile %s | FileCheck %s
# If this fails, the kernel's contract is wrong: argument order, static extents, or what the decorators ask.
from __future__ import annotations

import phobos.lang as ph

# CHECK: tile.kernel @signature(
# CHECK-SAME: !tile.view<?x16xbf16{{[^>]*}}> {tile.dims = ["M", ""], tile.name = "A"}
# CHECK-SAME: !tile.view<i8{{[^>]*}}> {tile.dims = [], tile.name = "B"}
# CHECK-SAME: f32 {tile.name = "scale"}
# CHECK-SAME: i8 {tile.name = "flag"}
# CHECK-SAME: i16 {tile.name = "n"}
# CHECK-SAME: dot.stages = 1 : i32
# CHECK-SAME: dot.tensorcore = "tf32"
# CHECK-SAME: tile.dims = {M = 8 : i64}
# CHECK-SAME: tile.max_regs = 96 : i32
# CHECK-SAME: tile.min_blocks = 2 : i32
# CHECK-SAME: tile.threads = 64 : i32


@ph.kernel
@ph.launch(64, min_blocks=2, max_regs=96)
@ph.tensorcore(f32="tf32")
@ph.pipeline(False)
@ph.aligned(M=8)
def signature(scale: ph.f32, A: ph.tensor[ph.bf16][M, 16], flag: ph.bool, B: ph.tensor[ph.bool][()], n: ph.u16):
    if flag:
        A[0:+8, 0:+16] = A[0:+8, 0:+16] * scale
