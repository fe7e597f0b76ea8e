// RUN: phobos-opt %s --nvvm-to-host | FileCheck %s
// If this fails, a division by zero ends the process, or constants are guarded for nothing.

// CHECK-LABEL: llvm.func @k
llvm.func @k(%out: !llvm.ptr<1>, %x: i32, %y: i32) attributes {nvvm.kernel} {
  // CHECK: %[[IS_ZERO:.*]] = llvm.icmp "eq" %[[Y:.*]], %{{.*}} : i32
  // CHECK: %[[LEAST:.*]] = llvm.icmp "eq" %[[X:.*]], %{{.*}} : i32
  // CHECK: %[[MINUS_ONE:.*]] = llvm.icmp "eq" %[[Y]], %{{.*}} : i32
  // CHECK: %[[WRAPS:.*]] = llvm.and %[[LEAST]], %[[MINUS_ONE]]
  // CHECK: %[[BAD:.*]] = llvm.or %[[IS_ZERO]], %[[WRAPS]]
  // CHECK: %[[SAFE:.*]] = llvm.select %[[BAD]], %{{.*}}, %[[Y]]
  // CHECK: %[[Q:.*]] = llvm.sdiv %[[X]], %[[SAFE]]
  // CHECK: llvm.select %[[IS_ZERO]], %{{.*}}, %[[Q]]
  %q = llvm.sdiv %x, %y : i32
  // CHECK-NOT: llvm.select
  // CHECK: llvm.udiv
  %c7 = llvm.mlir.constant(7 : i32) : i32
  %r = llvm.udiv %q, %c7 : i32
  // A shift by the width or more is what the PTX ISA says.
  // CHECK: %[[FITS:.*]] = llvm.icmp "ult" %[[Y]]
  // CHECK: %[[BY:.*]] = llvm.select %[[FITS]], %[[Y]], %[[NONE:.*]] :
  // CHECK: %[[SHIFTED:.*]] = llvm.shl %{{.*}}, %[[BY]]
  // CHECK: llvm.select %[[FITS]], %[[SHIFTED]], %[[NONE]]
  %s = llvm.shl %r, %y : i32
  llvm.store %s, %out : i32, !llvm.ptr<1>
  llvm.return
}
