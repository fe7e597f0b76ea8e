# RUN: phobosc --kernel draw --emit tile %s | FileCheck %s
# RUN: phobosc --kernel draw --emit ptx %s | FileCheck %s --check-prefix PTX
# RUN: phobosc --kernel neighbours --emit ptx %s | FileCheck %s --check-prefix FOUR
# If this fails, random numbers are no longer ops on the offsets' tile alone, the key's schedule is computed for every element, or there
# are more products than 20 a number, two a round, or than 46 for twice four whose offsets are known to be neighbours (LLVM makes two of some, one for
# either half): 160 would be one generator for each.
from __future__ import annotations

import phobos.lang as ph

# CHECK: tile.kernel @draw(%{{.*}}, %[[SEED:.*]]: i64 {tile.name = "seed"})
# CHECK-DAG: %[[MULTIPLIER:.*]] = arith.constant dense<3528531795> : tensor<32xi64>
# CHECK-DAG: %[[WEYL:.*]] = arith.constant -1640531527 : i32
# CHECK-DAG: %[[UNIT:.*]] = arith.constant dense<5.96046448E-8> : tensor<32xf32>
# CHECK: %[[OFFSET:.*]] = tile.load %{{.*}} -> tensor<32xi32>
# CHECK: %[[WIDE:.*]] = arith.extsi %[[OFFSET]] : tensor<32xi32> to tensor<32xi64>
# CHECK: %[[COUNTER:.*]] = arith.shrui %[[WIDE]],
# CHECK: %[[KEY:.*]] = arith.trunci %[[SEED]] : i64 to i32
# CHECK: %[[LOW:.*]] = arith.trunci %[[COUNTER]] :
# CHECK: %[[FACTOR:.*]] = arith.extui %[[LOW]] : tensor<32xi32> to tensor<32xi64>
# CHECK: arith.muli %[[FACTOR]], %[[MULTIPLIER]] :
# CHECK: %[[NEXT:.*]] = arith.addi %[[KEY]], %[[WEYL]] : i32
# CHECK: tile.splat %[[NEXT]]
# CHECK: arith.andi %[[OFFSET]]
# CHECK: %[[FIRST:.*]] = arith.uitofp
# CHECK: %[[RESULT:.*]] = arith.mulf %[[FIRST]], %[[UNIT]]
# CHECK: tile.store %[[RESULT]]

# PTX: .entry draw(
# PTX-COUNT-20: mul.
# PTX-NOT: {{mul.(wide|lo|hi)|call|div}}


@ph.kernel
def draw(O: ph.tensor[ph.i32][32], B: ph.tensor[ph.f32][32], seed: ph.i64):
    B[:] = ph.rand(seed, O[:])


# FOUR: .entry neighbours(
# FOUR-COUNT-46: mul.
# FOUR-NOT: {{mul.(wide|lo|hi)|call|div}}


@ph.kernel
@ph.launch(threads=64)
def neighbours(B: ph.tensor[ph.f32][512], seed: ph.i64):
    B[:] = ph.rand(seed, ph.iota(512))
