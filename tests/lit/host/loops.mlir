// RUN: phobos-opt %s --nvvm-to-host | FileCheck %s
// If this fails, a loop that waits on memory never lets others run, or one that does not end cannot be stopped.

// CHECK-LABEL: llvm.func @spins.fiber
// CHECK: %[[OLD:.*]] = llvm.atomicrmw
// CHECK-NOT: syncscope
// CHECK-NEXT: llvm.mlir.constant
// CHECK-NEXT: llvm.call @host.yield
llvm.func @spins(%lock: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %one = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i32) : i32
  llvm.br ^try
^try:
  %old = llvm.atomicrmw xchg %lock, %one syncscope("device") acquire : !llvm.ptr<1>, i32
  %got = llvm.icmp "eq" %old, %zero : i32
  llvm.cond_br %got, ^in, ^try
^in:
  llvm.return
}

// An atomic in a loop that counts does not make it wait.
// CHECK-LABEL: llvm.func @counts.loop
// CHECK-NOT: host.
llvm.func @counts(%sum: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
  %one = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i32) : i32
  llvm.br ^turn(%zero : i32)
^turn(%i: i32):
  %old = llvm.atomicrmw add %sum, %one monotonic : !llvm.ptr<1>, i32
  %next = llvm.add %i, %one : i32
  %more = llvm.icmp "slt" %next, %n : i32
  llvm.cond_br %more, ^turn(%next : i32), ^end
^end:
  llvm.return
}

// A loop inside one that counts, with an end that nobody can foresee.
// CHECK-LABEL: llvm.func @unforeseen.loop
// CHECK: llvm.add
// CHECK: ^[[HEAD:.*]](%[[X:.*]]: i32):
// CHECK-NEXT: %[[FLAG:.*]] = llvm.load volatile
// CHECK: llvm.icmp "ne" %[[FLAG]]
// CHECK: llvm.call @host.stop(%arg0)
// CHECK-NOT: host.stop
llvm.func @unforeseen(%out: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 32, 1, 1>} {
  %one = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i32) : i32
  llvm.br ^outer(%zero : i32)
^outer(%i: i32):
  %start = llvm.add %i, %n : i32
  llvm.br ^inner(%start : i32)
^inner(%x: i32):
  %y = llvm.mul %x, %n : i32
  %more = llvm.icmp "ne" %y, %one : i32
  llvm.cond_br %more, ^inner(%y : i32), ^after
^after:
  %next = llvm.add %i, %one : i32
  %again = llvm.icmp "slt" %next, %n : i32
  llvm.cond_br %again, ^outer(%next : i32), ^end
^end:
  llvm.return
}
