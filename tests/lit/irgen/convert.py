# RUN: phobosc --emit tile %s | FileCheck %s
# If this fails, a conversion reads or writes the wrong format, or forgets which side has a sign.
from __future__ import annotations

import phobos.lang as ph

# CHECK: %[[F:.*]] = tile.load %{{.*}} -> tensor<64xf32>
# CHECK: tile.to_float8 %[[F]] : tensor<64xf32> to tensor<64xf8E4M3FN>
# CHECK: arith.fptosi %[[F]] : tensor<64xf32> to tensor<64xi8>
# CHECK: arith.fptoui %[[F]] : tensor<64xf32> to tensor<64xi64>
# CHECK: arith.cmpf une, %[[F]]
# Neither of two 16-bit floats holds the other.
# CHECK: %[[H:.*]] = tile.load %{{.*}} -> tensor<64xf16>
# CHECK: %[[W:.*]] = arith.extf %[[H]] : tensor<64xf16> to tensor<64xf32>
# CHECK: arith.truncf %[[W]] : tensor<64xf32> to tensor<64xbf16>
# CHECK: %[[I:.*]] = tile.load %{{.*}} -> tensor<64xi8>
# CHECK: arith.sitofp %[[I]] : tensor<64xi8> to tensor<64xf32>
# CHECK: arith.extsi %[[I]] : tensor<64xi8> to tensor<64xi64>
# CHECK: %[[U:.*]] = tile.load %{{.*}} -> tensor<64xi64>
# CHECK: arith.uitofp %[[U]] : tensor<64xi64> to tensor<64xf32>
# CHECK: arith.trunci %[[U]] : tensor<64xi64> to tensor<64xi8>
# CHECK: arith.bitcast %{{.*}} : tensor<64xf32> to tensor<64xi32>


@ph.kernel
def convert(F: ph.tensor[ph.f32][64], E: ph.tensor[ph.f8e4m3][64], I: ph.tensor[ph.i8][64], U: ph.tensor[ph.u64][64],
            P: ph.tensor[ph.bool][64], H: ph.tensor[ph.f16][64], Z: ph.tensor[ph.bf16][64], B: ph.tensor[ph.i32][64]):
    f = F[:]
    E[:] = f
    I[:] = ph.i8(f)
    U[:] = ph.u64(f)
    P[:] = ph.bool(f)
    Z[:] = ph.bf16(H[:])
    i = I[:]
    F[:] = ph.f32(i)
    U[:] = ph.u64(i)
    u = U[:]
    F[:] = ph.f32(u)
    I[:] = ph.i8(u)
    B[:] = ph.bitcast(F[:], ph.i32)
