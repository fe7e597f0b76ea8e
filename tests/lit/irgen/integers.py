# RUN: phobosc --emit tile %s | FileCheck %s
# If this fails, an unsigned integer is divided, compared, shifted or widened as if it had a sign, or a signed one as if it had none.
from __future__ import annotations

import phobos.lang as ph

# CHECK-DAG: %[[S:.*]] = tile.load %{{.*}} -> tensor<32xi32>
# CHECK-DAG: %[[U:.*]] = tile.load %{{.*}} -> tensor<32xi8>
# CHECK: arith.floordivsi %[[S]]
# CHECK: %[[REST:.*]] = arith.remsi %[[S]], %[[THREE:.*]] : tensor<32xi32>
# CHECK: %[[SIGNS:.*]] = arith.xori %[[REST]], %[[THREE]]
# CHECK: arith.cmpi slt, %[[SIGNS]]
# CHECK: arith.shrsi
# CHECK: arith.maxsi
# CHECK: arith.divui %[[U]]
# CHECK: arith.remui %[[U]]
# CHECK: arith.shrui %[[U]]
# CHECK: arith.maxui
# CHECK: arith.extui %{{.*}} : tensor<32xi8> to tensor<32xi32>


@ph.kernel
def integers(S: ph.tensor[ph.i32][32], U: ph.tensor[ph.u8][32]):
    s = S[:]
    u = U[:]
    signed = ph.max(s // 3 + s % 3, s >> 2)
    unsigned = ph.max(u // 3 + u % 3, u >> 2)
    S[:] = signed + ph.i32(unsigned)
