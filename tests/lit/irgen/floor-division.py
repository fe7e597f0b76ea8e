# RUN: phobosc %s --emit tile | FileCheck %s
# A floor quotient of 16-bit floats is computed in f32 and rounded once: rounded at each step it is off by a place.
from __future__ import annotations

import phobos.lang as ph


# CHECK-LABEL: tile.kernel @divide
@ph.kernel
def divide(A: ph.tensor[ph.f16][64], B: ph.tensor[ph.f16][64], C: ph.tensor[ph.f64][64]):
    a = A[:]
    # CHECK-COUNT-2: arith.extf {{.*}} : tensor<64xf16> to tensor<64xf32>
    # CHECK: arith.remf {{.*}} : tensor<64xf32>
    # CHECK: math.roundeven {{.*}} : tensor<64xf32>
    # CHECK: arith.truncf {{.*}} : tensor<64xf32> to tensor<64xf16>
    B[:] = a // B[:]
    # CHECK: arith.remf {{.*}} : tensor<64xf64>
    C[:] = C[:] // 3
