# RUN: phobosc --emit tile %s | FileCheck %s
# If this fails, a contraction forgets that its second operand is transposed, or its accumulator, or sums integers in floats.
from __future__ import annotations

import phobos.lang as ph

# CHECK: %[[ACC:.*]] = tile.load %{{.*}} -> tensor<16x16xi32>
# CHECK: %[[P:.*]] = dot.contract %{{.*}}, %{{.*}}, %[[ACC]] : tensor<16x32xi8>, tensor<32x16xi8>, tensor<16x16xi32>
# CHECK: dot.contract %{{.*}}, %{{.*}}, %[[P]] trans_b : tensor<16x32xi8>, tensor<16x32xi8>, tensor<16x16xi32>


@ph.kernel
def dots(A: ph.tensor[ph.i8][16, 32], B: ph.tensor[ph.i8][32, 16], C: ph.tensor[ph.i32][16, 16]):
    acc = C[:, :]
    p = ph.dot(A[:, :], B[:, :], acc)
    C[:, :] = p + ph.dot_t(A[:, :], A[:, :])
