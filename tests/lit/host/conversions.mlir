// RUN: phobos-opt %s --nvvm-to-host | FileCheck %s
// If this fails, a conversion of the chip's is rounded by the host's rules.

// CHECK-LABEL: llvm.func @k
llvm.func @k(%out: !llvm.ptr<1>, %x: f32, %y: f32, %codes: vector<2xi8>) attributes {nvvm.kernel} {
  // CHECK: %[[BITS:.*]] = llvm.bitcast %{{.*}} : f32 to i32
  // CHECK: %[[HALF:.*]] = llvm.mlir.constant(4096 : i32)
  // CHECK: llvm.add %[[BITS]], %[[HALF]]
  // CHECK: llvm.select
  %t = nvvm.convert.float.to.tf32 %x {rnd = #nvvm.fp_rnd_mode<rna>}
  llvm.store %t, %out : i32, !llvm.ptr<1>
  // The first operand becomes the upper code.
  // CHECK: %[[UPPER:.*]] = llvm.call @host.narrowF8(%[[X:.*]], %{{.*}}, %{{.*}}) : (f32, i32, i32) -> i32
  // CHECK: llvm.shl %[[UPPER]]
  // CHECK: llvm.call @host.narrowF8
  %n = nvvm.convert.f32x2.to.f8x2 %x, %y {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : vector<2xi8> (f8E4M3FN)
  llvm.store %n, %out : vector<2xi8>, !llvm.ptr<1>
  // CHECK-COUNT-2: llvm.call @host.widenF8
  %w = nvvm.convert.f8x2.to.f16x2 %codes : vector<2xi8> (f8E5M2) -> vector<2xf16>
  llvm.store %w, %out : vector<2xf16>, !llvm.ptr<1>
  llvm.return
}
