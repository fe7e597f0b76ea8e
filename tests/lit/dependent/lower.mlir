// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// RUN: phobos-opt %s --tile-to-llvm --nvvm-to-host | FileCheck %s --check-prefix=HOST
// RUN: phobos-opt %s --tile-to-llvm --nvvm-to-host='check-global' | FileCheck %s --check-prefix=CHECKED
// Memory stays behind the wait. On the simulator, where launches are in order, the checkers hear of it.

module attributes {tile.chip = "sm_90a"} {
  // CHECK-LABEL: llvm.func @waits
  // CHECK: nvvm.griddepcontrol launch_dependents
  // CHECK: nvvm.griddepcontrol wait
  // CHECK-NEXT: llvm.inline_asm has_side_effects
  // CHECK-SAME: "~{memory}"
  // CHECK-NEXT: llvm.return
  // HOST-LABEL: llvm.func @waits.loop
  // HOST-NOT: griddepcontrol
  // HOST-NOT: host.awaitPrevious
  // CHECKED-LABEL: llvm.func @waits.fiber
  // CHECKED-NOT: griddepcontrol
  // CHECKED: llvm.call @host.awaitPrevious
  tile.kernel @waits() attributes {tile.dependent} {
    tile.admit_next
    tile.await_previous
    tile.return
  }
}
