# RUN: phobosc %s --arch sm_80 --emit ptx | FileCheck %s
# RUN: phobosc %s --arch sm_75 --emit ptx | FileCheck %s --check-prefix OLD
# If this fails, what is said of caches does not reach the PTX, vectors are lost by it, or a chip gets what it does not know.
from __future__ import annotations

import phobos.lang as ph


# CHECK: ld.global.cg.v4.b32 {%r{{[0-9]+}}, {{.*}}}, [%rd
# CHECK: ld.global.L1::evict_first.v4.b32
# CHECK: ld.global.cs.u8
# CHECK-COUNT-1: prefetch.global.L2
# CHECK-NOT: prefetch
# OLD: ld.global.cg.v4.b32
# OLD: ld.global.v4.b32
# OLD-NOT: evict
@ph.kernel
@ph.launch(32)
def load(A: ph.tensor[ph.f32][256], B: ph.tensor[ph.u8][33], O: ph.tensor[ph.f32][256]):
    a = ph.load(A[0:+128], cache="cg") + ph.load(A[128:+128], evict="first")
    O[0:+128] = a
    O[128:+32] = ph.f32(ph.load(B[1:+32], cache="cs"))
    ph.prefetch(A[0:+64])
