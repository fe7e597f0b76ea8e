// RUN: phobos-opt --ptx=sm_75 %s | FileCheck %s --check-prefixes=CHECK,SM75
// RUN: phobos-opt --ptx=sm_90a %s | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: phobos-opt --ptx=sm_120a %s | FileCheck %s --check-prefixes=CHECK,SM120
// The header names the chip with the PTX version of the table, launch bounds are kept, and a scaled index is one widening product.

// SM75: .version 7.0
// SM75: .target sm_75
// SM90: .version 8.4
// SM90: .target sm_90a
// SM120: .version 8.7
// SM120: .target sm_120a
// CHECK: .visible .entry store(
// CHECK: .maxntid 128, 1, 1
// CHECK: .minnctapersm 2
// CHECK: mov.u32 [[TID:%r[0-9]+]], %tid.x;
// CHECK-NEXT: mul.wide.u32 [[OFFSET:%rd[0-9]+]], [[TID]], 4;
// CHECK-NEXT: add.s64 [[ADDRESS:%rd[0-9]+]], {{.*}}[[OFFSET]];
// CHECK-NEXT: st.global.b32 {{\[}}[[ADDRESS]]],
llvm.func @store(%p: !llvm.ptr<1>, %x: f32) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 128, 1, 1>, nvvm.minctasm = 2 : i32} {
  %t = nvvm.read.ptx.sreg.tid.x : i32
  %wide = llvm.zext %t : i32 to i64
  %a = llvm.getelementptr %p[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  llvm.store %x, %a : f32, !llvm.ptr<1>
  llvm.return
}
