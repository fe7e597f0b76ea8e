# RUN: phobosc --emit tile %s | FileCheck %s
# If this fails, normal numbers are not those of Box and Muller's, or their logarithm may be of 0.
from __future__ import annotations

import phobos.lang as ph

# CHECK-DAG: %[[HALF:.*]] = arith.constant 1.16415322E-10 : f32
# CHECK: %[[FIRST:.*]] = arith.uitofp %{{.*}} : i32 to f32
# CHECK: %[[SCALED:.*]] = arith.mulf %[[FIRST]]
# CHECK: %[[UNIFORM:.*]] = arith.addf %[[SCALED]], %[[HALF]]
# CHECK: %[[SIGNED:.*]] = arith.sitofp %{{.*}} : i32 to f32
# CHECK: %[[ANGLE:.*]] = arith.mulf %[[SIGNED]]
# CHECK: math.log %[[UNIFORM]]
# CHECK: %[[RADIUS:.*]] = math.sqrt
# CHECK: %[[COSINE:.*]] = math.cos %[[ANGLE]]
# CHECK: arith.mulf %[[RADIUS]], %[[COSINE]]


@ph.kernel
def draw(B: ph.tensor[ph.f32][1], seed: ph.u64):
    B[0] = ph.randn(seed, ph.ctx.block.x)
