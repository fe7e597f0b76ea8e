// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(dot-schedule-loop))' -verify-diagnostics -split-input-file
// A loop that cannot run ahead says which operation is in the way: a later turn's copy must not pass an earlier turn's store, nor
// use what that turn computes.

tile.kernel @store(%A: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, %n: index) attributes {tile.threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %t = arith.constant dense<1.0> : tensor<16x16xf16>
  %s = dot.alloc : !dot.stage<1 x 16x16xf16, order = [1, 0], swizzle>
  // expected-remark @below {{loop not pipelined: an operation is in the way}}
  scf.for %k = %c0 to %n step %c16 {
    dot.copy_async %A[%k, %c0] into %s[%c0] bytes 16 {dot.latency = 1 : i32} : !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, !dot.stage<1 x 16x16xf16, order = [1, 0], swizzle>
    // expected-note @below {{tile.store: it may write what a later turn's copies read}}
    tile.store %t, %A[%k, %c0] : tensor<16x16xf16>, !tile.view<?x?xf16, strides = [8*?, 1], align = 16>
  }
  tile.return
}

// -----

tile.kernel @carried(%A: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, %n: index) attributes {tile.threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %s = dot.alloc : !dot.stage<1 x 16x16xf16, order = [1, 0], swizzle>
  // expected-remark @below {{loop not pipelined: an operation is in the way}}
  %r = scf.for %k = %c0 to %n step %c16 iter_args(%at = %c0) -> (index) {
    // expected-note @below {{dot.copy_async: it depends on a value that each turn computes for the next}}
    dot.copy_async %A[%at, %c0] into %s[%c0] bytes 16 {dot.latency = 1 : i32} : !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, !dot.stage<1 x 16x16xf16, order = [1, 0], swizzle>
    %next = arith.addi %at, %c16 : index
    scf.yield %next : index
  }
  tile.return
}

// -----

// Around a loop whose own copies run ahead: which group a wait is for could not be told.
tile.kernel @nested(%A: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, %n: index) attributes {tile.threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %s = dot.alloc : !dot.stage<1 x 16x16xf16, order = [1, 0], swizzle>
  %r = dot.alloc : !dot.stage<1 x 16x16xf16, order = [1, 0], swizzle>
  // expected-remark @below {{loop not pipelined: an operation is in the way}}
  scf.for %i = %c0 to %n step %c16 {
    // expected-note @below {{scf.for: its own copies run ahead, and groups of copies are told by their order}}
    scf.for %k = %c0 to %n step %c16 {
      dot.copy_async %A[%k, %c0] into %s[%c0] bytes 16 {dot.latency = 1 : i32} : !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, !dot.stage<1 x 16x16xf16, order = [1, 0], swizzle>
    }
    dot.copy_async %A[%i, %c0] into %r[%c0] bytes 16 {dot.latency = 1 : i32} : !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, !dot.stage<1 x 16x16xf16, order = [1, 0], swizzle>
  }
  tile.return
}
