# RUN: phobosc --emit tile --kernel exact %s | FileCheck %s --check-prefix=EXACT
# RUN: phobosc --emit tile --kernel split %s | FileCheck %s --check-prefix=SPLIT
# RUN: phobosc --emit tile --kernel once %s | FileCheck %s --check-prefix=ONCE
# RUN: phobosc --emit tile --kernel halves %s | FileCheck %s --check-prefix=HALVES
# If this fails, f32 operands lose precision that the kernel did not give away, or keep what it did.
from __future__ import annotations

import phobos.lang as ph


# EXACT: dot.contract %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x16xf32>
@ph.kernel
def exact(A: ph.tensor[ph.f32][16, 16], C: ph.tensor[ph.f32][16, 16]):
    C[:, :] = ph.dot(A[:, :], A[:, :])


# SPLIT: dot.contract {{.*}} precision "tf32x3" : tensor<16x16xf32>
@ph.kernel
@ph.tensorcore
def split(A: ph.tensor[ph.f32][16, 16], C: ph.tensor[ph.f32][16, 16]):
    C[:, :] = ph.dot(A[:, :], A[:, :])


# ONCE: dot.contract {{.*}} precision "tf32" : tensor<16x16xf32>
@ph.kernel
@ph.tensorcore(f32="tf32")
def once(A: ph.tensor[ph.f32][16, 16], C: ph.tensor[ph.f32][16, 16]):
    C[:, :] = ph.dot(A[:, :], A[:, :])


# HALVES: dot.contract %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} : tensor<16x16xf16>
@ph.kernel
@ph.tensorcore
def halves(A: ph.tensor[ph.f16][16, 16], C: ph.tensor[ph.f32][16, 16]):
    C[:, :] = ph.dot(A[:, :], A[:, :])
