# RUN: phobosc --emit tile %s | FileCheck %s
# RUN: phobosc --emit ptx %s | FileCheck %s --check-prefix PTX
# If this fails, random numbers are no longer ops on the offsets' tile alone, the key's schedule is computed for every element, or there
# are more products than 18 a number: two a round, without that of the first round's zero and that whose halves the last does not use.
from __future__ import annotations

import phobos.lang as ph

# CHECK: tile.kernel @draw(%{{.*}}, %[[SEED:.*]]: i64 {tile.name = "seed"})
# CHECK-DAG: %[[MULTIPLIER:.*]] = arith.constant dense<3528531795> : tensor<32xi64>
# CHECK-DAG: %[[WEYL:.*]] = arith.constant -1640531527 : i32
# CHECK-DAG: %[[UNIT:.*]] = arith.constant dense<5.96046448E-8> : tensor<32xf32>
# CHECK: %[[OFFSET:.*]] = tile.load %{{.*}} -> tensor<32xi32>
# CHECK: %[[WIDE:.*]] = arith.extsi %[[OFFSET]] : tensor<32xi32> to tensor<32xi64>
# CHECK: %[[KEY:.*]] = arith.trunci %[[SEED]] : i64 to i32
# CHECK: arith.shrui %[[WIDE]]
# CHECK: %[[FACTOR:.*]] = arith.extui %[[OFFSET]] : tensor<32xi32> to tensor<32xi64>
# CHECK: arith.muli %[[FACTOR]], %[[MULTIPLIER]]
# CHECK: %[[NEXT:.*]] = arith.addi %[[KEY]], %[[WEYL]] : i32
# CHECK: tile.splat %[[NEXT]]
# CHECK: %[[FIRST:.*]] = arith.uitofp
# CHECK: %[[RESULT:.*]] = arith.mulf %[[FIRST]], %[[UNIT]]
# CHECK: tile.store %[[RESULT]]

# PTX: .entry draw(
# PTX-COUNT-18: mul.{{wide|lo}}
# PTX-NOT: {{mul.(wide|lo|hi)|call|div}}


@ph.kernel
def draw(O: ph.tensor[ph.i32][32], B: ph.tensor[ph.f32][32], seed: ph.i64):
    B[:] = ph.rand(seed, O[:])
