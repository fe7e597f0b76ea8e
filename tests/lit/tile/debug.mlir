// RUN: phobos-opt %s | phobos-opt | FileCheck %s
// RUN: phobos-opt %s --pass-pipeline='builtin.module(tile.kernel(canonicalize,cse,loop-invariant-code-motion))' | FileCheck %s
// The text forms of what a kernel says; none of it is removed, joined with its like, or moved out of a loop.

// CHECK-LABEL: tile.kernel @speaks
// CHECK-SAME: (%[[T:[a-z0-9]+]]: tensor<8x4xi8>, %[[C:[a-z0-9]+]]: tensor<8x4xi1>, %[[N:[a-z0-9]+]]: index)
tile.kernel @speaks(%t: tensor<8x4xi8>, %c: tensor<8x4xi1>, %n: index) {
  %x = tile.block_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  // CHECK: tile.print "a \22line\22\0A" at %{{.*}}, %{{.*}}, %{{.*}}{{$}}
  tile.print "a \22line\22\0A" at %x, %c0, %c0
  // CHECK: tile.print "n" at %{{.*}} with %[[N]] : index
  tile.print "n" at %x, %c0, %c0 with %n : index
  // CHECK-NEXT: tile.print "n" at %{{.*}} with %[[N]] : index
  tile.print "n" at %x, %c0, %c0 with %n : index
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: tile.print "t" at %{{.*}} with %[[N]], %[[T]] unsigned [false, true] : index, tensor<8x4xi8>
    tile.print "t" at %x, %c0, %c0 with %n, %t unsigned [false, true] : index, tensor<8x4xi8>
    // CHECK: tile.assert %[[C]], "all hold" at %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x4xi1>
    tile.assert %c, "all hold" at %x, %c0, %c0 : tensor<8x4xi1>
  }
  // CHECK: tile.assert %{{.*}}, "" at %{{.*}} : i1
  tile.assert %true, "" at %x, %c0, %c0 : i1
  tile.return
}
