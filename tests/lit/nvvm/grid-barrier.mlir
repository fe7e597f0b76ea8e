// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// If this fails, blocks do not count themselves right: one adds what completes 2^31, the others 1; the block meets before its first thread
// releases what it wrote and after it has acquired what others wrote.

// CHECK-LABEL: llvm.func @meets
// The launch's counters come last.
// CHECK-SAME: %[[COUNTERS:[a-z0-9]+]]: !llvm.ptr<1>)
tile.kernel @meets(%x: f32) attributes {tile.threads = 64 : i32} {
  // CHECK: nvvm.barrier
  // CHECK: llvm.cond_br %{{.*}}, ^[[ONE:.*]], ^[[ALL:.*]]
  // CHECK: ^[[ONE]]:
  // CHECK: %[[FIRST:.*]] = llvm.icmp "eq"
  // CHECK: %[[WORD:.*]] = llvm.getelementptr %[[COUNTERS]][4]
  // CHECK: llvm.fence syncscope("device") release
  // CHECK: %[[AMOUNT:.*]] = llvm.select %[[FIRST]]
  // CHECK: %[[BEFORE:.*]] = llvm.atomicrmw add %[[WORD]], %[[AMOUNT]] syncscope("device") monotonic
  // CHECK: llvm.br ^[[SPIN:.*]]
  // CHECK: ^[[SPIN]]:
  // CHECK: %[[NOW:.*]] = llvm.load %[[WORD]] atomic syncscope("device") acquire
  // CHECK: %[[FLIPPED:.*]] = llvm.xor %[[NOW]], %[[BEFORE]]
  // CHECK: %[[SAME:.*]] = llvm.icmp "sge" %[[FLIPPED]]
  // CHECK: llvm.cond_br %[[SAME]], ^[[SPIN]]
  // CHECK: ^[[ALL]]:
  // CHECK: nvvm.barrier
  tile.grid_barrier
  tile.return
}
