# RUN: phobosc --emit tile --debug %s | FileCheck %s
# RUN: env PHOBOS_DEBUG=1 phobosc --emit tile %s | FileCheck %s
# RUN: phobosc --emit tile %s | FileCheck %s --check-prefix=OUT
# RUN: env PHOBOS_DEBUG=0 phobosc --emit tile %s | FileCheck %s --check-prefix=OUT
# RUN: env PHOBOS_DEBUG=yes not phobosc --emit tile %s 2>&1 | FileCheck %s --check-prefix=ENVIRONMENT
# RUN: phobosc --emit contract --debug %s | FileCheck %s --check-prefix=CONTRACT
# RUN: phobosc --emit contract %s | FileCheck %s --check-prefix=NO-CONTRACT
# REQUIRES: ptxas
# Assertions are there when debugging; else they and what they would compute are left out, and the contract says which.
from __future__ import annotations

import phobos.lang as ph

# CHECK: tile.kernel @checked(
# CHECK-SAME: %[[N:[a-z0-9]+]]: i32 {tile.name = "n"}
# CHECK: %[[POSITIVE:.*]] = arith.cmpi sgt, %[[N]]
# CHECK: tile.assert %[[POSITIVE]], "n is positive" at %{{.*}}, %{{.*}}, %{{.*}} : i1
# CHECK: %[[T:.*]] = tile.load
# CHECK: %[[BELOW:.*]] = arith.cmpf olt, %[[T]]
# CHECK: tile.assert %[[BELOW]], "A[0:+32] < 100.0" at %{{.*}} : tensor<32xi1>
# CHECK: scf.if
# CHECK: tile.assert %{{.*}}, "never here" at %{{.*}} : i1

# OUT: tile.kernel @checked(
# OUT-NOT: tile.assert
# OUT-NOT: tile.load
# OUT: tile.store
# OUT: tile.return

# ENVIRONMENT: error: PHOBOS_DEBUG: expected 0 or 1, got 'yes'

# CONTRACT: "asserts": true
# NO-CONTRACT: "asserts": false


@ph.kernel
def checked(A: ph.tensor[ph.f32][32], n: ph.i32):
    ph.assert_(n > 0, "n is positive")
    ph.assert_(A[0:+32] < 100.0)
    if n > 5:
        ph.assert_(False, "never here")
        A[0] = 1.0
