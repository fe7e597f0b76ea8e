// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(dot-order-global))' | FileCheck %s
// Accesses of a block to one tensor happen in the program's order: else a thread reads what another has not stored yet, or
// stores over what another stored later.

#acc = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#rows = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#row = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
#turned = #tile.layout<register = [], lane = [[32], [1], [2], [4], [8]], warp = [[16]]>
#copied = #tile.layout<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [[0]]>
!view = !tile.view<?xf32, strides = [1], align = 16>

// CHECK-LABEL: tile.kernel @readBack
tile.kernel @readBack(%A: !view, %i: index, %t: tensor<64xf32, #row>) attributes {tile.threads = 64 : i32} {
  // CHECK: tile.store
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: tile.load
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: tile.store
  tile.store %t, %A[%i] : tensor<64xf32, #row>, !view
  %a = tile.load %A[%i] : !view -> tensor<64xf32, #turned>
  tile.store %t, %A[%i] : tensor<64xf32, #row>, !view
  tile.return
}

// One thread's accesses are ordered.
// CHECK-LABEL: tile.kernel @inPlace
// CHECK-NOT: dot.barrier
tile.kernel @inPlace(%A: !view, %B: !view, %i: index, %t: tensor<64xf32, #turned>) attributes {tile.threads = 64 : i32} {
  %a = tile.load %A[%i] : !view -> tensor<64xf32, #row>
  tile.store %a, %A[%i] : tensor<64xf32, #row>, !view
  tile.store %t, %B[%i] : tensor<64xf32, #turned>, !view
  tile.return
}

// Both warps read each element, one of them writes it.
// CHECK-LABEL: tile.kernel @replicated
tile.kernel @replicated(%A: !view, %i: index) attributes {tile.threads = 64 : i32} {
  // CHECK: tile.load
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: tile.store
  %a = tile.load %A[%i] : !view -> tensor<64xf32, #copied>
  tile.store %a, %A[%i] : tensor<64xf32, #copied>, !view
  tile.return
}

// CHECK-LABEL: tile.kernel @apart
tile.kernel @apart(%A: !view, %i: index, %t: tensor<64xf32, #row>, %u: tensor<64xf32, #turned>) attributes {tile.threads = 64 : i32} {
  %c64 = arith.constant 64 : index
  %c63 = arith.constant 63 : index
  %far = arith.addi %i, %c64 : index
  %near = arith.subi %i, %c63 : index
  // CHECK: tile.store
  // CHECK-NEXT: tile.store
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: tile.store
  tile.store %t, %A[%i] : tensor<64xf32, #row>, !view
  tile.store %u, %A[%far] : tensor<64xf32, #turned>, !view
  tile.store %u, %A[%near] : tensor<64xf32, #turned>, !view
  tile.return
}

// A loop that moves on by a slice meets nothing of its earlier turns; one that moves by less does.
// CHECK-LABEL: tile.kernel @loops
tile.kernel @loops(%A: !view, %n: index, %t: tensor<64xf32, #row>) attributes {tile.threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c2 = arith.constant 2 : index
  // CHECK: scf.for
  // CHECK-NEXT: arith.muli
  // CHECK-NEXT: tile.store
  // CHECK-NEXT: }
  scf.for %k = %c0 to %n step %c32 {
    %at = arith.muli %k, %c2 : index
    tile.store %t, %A[%at] : tensor<64xf32, #row>, !view
  }
  // CHECK: scf.for
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: tile.store
  scf.for %k = %c0 to %n step %c32 {
    tile.store %t, %A[%k] : tensor<64xf32, #row>, !view
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @branches
tile.kernel @branches(%A: !view, %i: index, %p: i1, %t: tensor<64xf32, #row>) attributes {tile.threads = 64 : i32} {
  // CHECK: scf.if
  // CHECK-NEXT: tile.store
  // CHECK-NEXT: }
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: tile.load
  scf.if %p {
    tile.store %t, %A[%i] : tensor<64xf32, #row>, !view
  }
  %a = tile.load %A[%i] : !view -> tensor<64xf32, #turned>
  tile.return
}

// A barrier that is there serves; an asynchronous copy has read when it has been waited for.
// CHECK-LABEL: tile.kernel @copies
tile.kernel @copies(%A: !tile.view<?x?xf32, strides = [4*?, 1], align = 16>, %i: index, %t: tensor<16x16xf32, #tile.layout<register = [[0, 4], [0, 8]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [[8, 0]]>>)
    attributes {tile.threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %s = dot.alloc at 0 : !dot.stage<1 x 16x16xf32, order = [1, 0], swizzle>
  // CHECK: dot.copy_async
  // CHECK-NEXT: dot.commit
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: dot.wait
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: tile.store
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: dot.copy_async
  dot.copy_async %A[%i, %i] into %s[%c0] bytes 16 : !tile.view<?x?xf32, strides = [4*?, 1], align = 16>, !dot.stage<1 x 16x16xf32, order = [1, 0], swizzle>
  dot.commit
  dot.barrier
  dot.wait pending 0
  tile.store %t, %A[%i, %i] : tensor<16x16xf32, #tile.layout<register = [[0, 4], [0, 8]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [[8, 0]]>>, !tile.view<?x?xf32, strides = [4*?, 1], align = 16>
  dot.barrier
  dot.copy_async %A[%i, %i] into %s[%c0] bytes 16 : !tile.view<?x?xf32, strides = [4*?, 1], align = 16>, !dot.stage<1 x 16x16xf32, order = [1, 0], swizzle>
  dot.commit
  tile.return
}

// A tile that leaves by the copy engine is stored as its threads have it: a barrier only where others read it before.
// CHECK-LABEL: tile.kernel @by_the_copy_engine
tile.kernel @by_the_copy_engine(%C: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, %i: index, %t: tensor<64x64xf16, #acc>,
                                %m: !dot.tensor_map<64x64xf16, swizzle = 128> {dot.map_of = 0 : i32}) attributes {tile.threads = 128 : i32} {
  %s = dot.alloc at 0 : !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
  // CHECK: tile.load
  // CHECK-NEXT: dot.store_async
  %x = tile.load %C[%i, %i] : !tile.view<?x?xf16, strides = [8*?, 1], align = 16> -> tensor<64x64xf16, #acc>
  dot.store_async %x, %s, %m[%i, %i] : tensor<64x64xf16, #acc>, !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>, !dot.tensor_map<64x64xf16, swizzle = 128>
  tile.return
}

// CHECK-LABEL: tile.kernel @by_the_copy_engine_after_others
tile.kernel @by_the_copy_engine_after_others(%C: !tile.view<?x?xf16, strides = [8*?, 1], align = 16>, %i: index, %t: tensor<64x64xf16, #acc>,
                                             %m: !dot.tensor_map<64x64xf16, swizzle = 128> {dot.map_of = 0 : i32}) attributes {tile.threads = 128 : i32} {
  %s = dot.alloc at 0 : !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>
  // CHECK: tile.load
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: dot.store_async
  %x = tile.load %C[%i, %i] : !tile.view<?x?xf16, strides = [8*?, 1], align = 16> -> tensor<64x64xf16, #rows>
  dot.store_async %t, %s, %m[%i, %i] : tensor<64x64xf16, #acc>, !dot.stage<1 x 64x64xf16, order = [1, 0], panels = 128>, !dot.tensor_map<64x64xf16, swizzle = 128>
  tile.return
}

// An atomic operation writes and reads. Of sums that nobody asks for the order does not matter, of an exchange it does.
// CHECK-LABEL: tile.kernel @atomics
tile.kernel @atomics(%A: !view, %L: !tile.view<?xi32, strides = [1], align = 16>, %i: index, %j: index, %t: tensor<64xf32, #row>,
                     %u: tensor<64xf32, #turned>, %x: tensor<64xi32, #row>, %y: tensor<64xi32, #turned>) attributes {tile.threads = 64 : i32} {
  // CHECK: tile.store
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: tile.atomic add
  // CHECK-NEXT: tile.atomic add
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: tile.load
  tile.store %t, %A[%i] : tensor<64xf32, #row>, !view
  %a = tile.atomic add device relaxed %u, %A[%j] : tensor<64xf32, #turned>, !view
  %b = tile.atomic add device relaxed %t, %A[%i] : tensor<64xf32, #row>, !view
  %c = tile.load %A[%i] : !view -> tensor<64xf32, #row>
  // CHECK-NEXT: tile.atomic xchg
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: tile.atomic xchg
  // CHECK-NEXT: dot.barrier
  // CHECK-NEXT: tile.atomic or
  %d = tile.atomic xchg device relaxed %x, %L[%i] : tensor<64xi32, #row>, !tile.view<?xi32, strides = [1], align = 16>
  %e = tile.atomic xchg device relaxed %y, %L[%j] : tensor<64xi32, #turned>, !tile.view<?xi32, strides = [1], align = 16>
  %f = tile.atomic or device relaxed %x, %L[%i] : tensor<64xi32, #row>, !tile.view<?xi32, strides = [1], align = 16>
  tile.return
}
