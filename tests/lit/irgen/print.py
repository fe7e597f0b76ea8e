# RUN: phobosc --emit tile --debug %s | FileCheck %s
# If this fails, a print loses a value, the sign of one, or the block as the kernel numbers it.
from __future__ import annotations

import phobos.lang as ph


@ph.fn
def show(t):
    ph.print("in a function", t)


# CHECK: tile.kernel @speaks(
# CHECK-SAME: %[[N:[a-z0-9]+]]: i32 {tile.name = "n"}, %[[U:[a-z0-9]+]]: i8 {tile.name = "u"}, %[[B:[a-z0-9]+]]: i8 {tile.name = "b"}
# CHECK: %[[BOOL:.*]] = arith.cmpi ne, %[[B]]
# CHECK-DAG: %[[X:.*]] = tile.block_id x
# CHECK-DAG: %[[Y:.*]] = tile.block_id y
# CHECK-DAG: %[[Z:.*]] = tile.block_id z
# CHECK: tile.print "start" at %[[X]], %[[Y]], %[[Z]]{{$}}
# CHECK: tile.print "scalars" at %[[X]], %[[Y]], %[[Z]] with %[[N]], %[[U]], %[[BOOL]], %[[X]], %{{.*}} unsigned [false, true, false, false, false] : i32, i8, i1, index, f32
# CHECK: %[[T:.*]] = tile.load
# CHECK: %[[COLUMN:.*]] = tile.expand_dims %[[T]], 1
# CHECK: %[[LEFT:.*]] = tile.broadcast %[[COLUMN]]
# CHECK: %[[ROW:.*]] = tile.expand_dims %[[T]], 0
# CHECK: %[[RIGHT:.*]] = tile.broadcast %[[ROW]]
# CHECK: tile.print "tiles" at %{{.*}} with %[[N]], %[[LEFT]], %[[RIGHT]] : i32, tensor<32x32xf16>, tensor<32x32xf16>
# CHECK: scf.if
# CHECK: tile.print "in a function" at %{{.*}} with %[[T]] : tensor<32xf16>
@ph.kernel
def speaks(A: ph.tensor[ph.f16][32], n: ph.i32, u: ph.u8, b: ph.bool):
    ph.print("start")
    ph.print("scalars", n, u, b, ph.ctx.block.x, 0.5)
    t = A[:]
    ph.print("tiles", n, t[:, None], t)
    if n > 0:
        show(t)
