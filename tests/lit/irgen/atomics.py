# RUN: phobosc --emit tile %s | FileCheck %s
# If this fails, an atomic operation loses its kind, scope or order, or its slice its shape.
from __future__ import annotations

import phobos.lang as ph

# CHECK: tile.kernel @atomics(%[[A:[a-z0-9]+]]: {{.*}}, %[[L:[a-z0-9]+]]: {{.*}}, %[[U:[a-z0-9]+]]:
# A statement; what was there is not used. A value of fewer dimensions is widened.
# CHECK: tile.atomic add device relaxed %{{.*}}, %[[A]][%{{.*}}, %{{.*}}] : tensor<4x32xf32>
# An element: one of extent 1 is moved, what was there is a scalar.
# CHECK: %[[OLD:.*]] = tile.atomic cas block acq_rel %{{.*}}, %[[L]][%{{.*}}] compare %{{.*}} : tensor<1xi32>
# CHECK: tile.to_scalar %[[OLD]] : tensor<1xi32> -> i32
# CHECK: tile.atomic min device relaxed %{{.*}}, %[[L]]
# Unsigned: the order is another.
# CHECK: tile.atomic umin system release %{{.*}}, %[[U]]


@ph.kernel
def atomics(A: ph.tensor[ph.f32][M, 32], L: ph.tensor[ph.i32][M], U: ph.tensor[ph.u32][M]):
    i = ph.ctx.block.x
    ph.atomic_add(A[i:+4, :], A[i, :])
    old = ph.atomic_cas(L[i], 0, 1, scope="block", order="acq_rel")
    ph.atomic_min(L[i:+4], old)
    ph.atomic_min(U[i:+4], 7, "system", "release")
