// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// Prints become calls of vprintf: of one thread for scalars; for a tile in a loop over registers, by the threads and registers that hold an
// element first, and never of the padding. Arguments are promoted and packed as CUDA packs them.

// CHECK-DAG: llvm.mlir.global internal constant @phobos_text_{{[0-9]+}}("print.mlir:{{[0-9]+}}: block (%d, %d, %d): 100%% %d %u %lld %llu %g %.9g %.17g %s\0A\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[$TILE:phobos_text_[0-9]+]]("print.mlir:{{[0-9]+}}: block (%d, %d, %d): t [%d, %d] %d %g\0A\00")
// CHECK-DAG: llvm.mlir.global internal constant @phobos_text_{{[0-9]+}}("True\00")
// CHECK-DAG: llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32

// CHECK-LABEL: llvm.func @scalars
// CHECK-SAME: (%[[A:.*]]: i8, %[[B:.*]]: i64, %[[H:.*]]: f16, %[[F:.*]]: f32, %[[D:.*]]: f64, %[[Z:.*]]: i8)
tile.kernel @scalars(%a: i8, %b: i64, %h: f16, %f: f32, %d: f64, %z: i1) {
  %x = tile.block_id x
  // CHECK: %[[ARGUMENTS:.*]] = llvm.alloca %{{.*}} x !llvm.array<72 x i8> {alignment = 8 : i64}
  // CHECK: %[[X:.*]] = nvvm.read.ptx.sreg.ctaid.x
  // CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %{{.*}}, %{{.*}} : i32
  // CHECK: llvm.cond_br %[[FIRST]]
  // CHECK: llvm.sext %{{.*}} : i8 to i32
  // CHECK: llvm.zext %{{.*}} : i8 to i32
  // CHECK: llvm.fpext %{{.*}} : f16 to f32
  // CHECK: llvm.fpext %{{.*}} : f32 to f64
  // CHECK: llvm.select %{{.*}}, %{{.*}}, %{{.*}} : i1, !llvm.ptr
  // CHECK: llvm.store %[[X]], %[[ARGUMENTS]] : i32
  // CHECK: %[[SIGNED:.*]] = llvm.getelementptr %[[ARGUMENTS]][12]
  // CHECK: llvm.store %{{.*}}, %[[SIGNED]] : i32
  // CHECK: %[[LONG:.*]] = llvm.getelementptr %[[ARGUMENTS]][24]
  // CHECK: llvm.store %{{.*}}, %[[LONG]] : i64
  // CHECK: %[[BOOL:.*]] = llvm.getelementptr %[[ARGUMENTS]][64]
  // CHECK: llvm.store %{{.*}}, %[[BOOL]] : !llvm.ptr
  // CHECK: llvm.call @vprintf(%{{.*}}, %[[ARGUMENTS]]) {tile.coordinates = 0 : i32}
  tile.print "100%" at %x, %x, %x with %a, %a, %b, %b, %h, %f, %d, %z unsigned [false, true, false, true, false, false, false, false] : i8, i8, i64, i64, f16, f32, f64, i1
  tile.return
}

// 3 x 6 of 4 x 8 elements: rows in registers, once more in register bit 1; columns over four lanes, copies in the other lanes and warps.
#tile = #tile.layout<register = [[0, 1], [0, 0], [1, 0], [2, 0]], lane = [[0, 2], [0, 4], [0, 0], [0, 0], [0, 0]], warp = [[0, 0]]>
// CHECK-LABEL: llvm.func @tile
tile.kernel @tile(%i: i8, %x: f16) attributes {tile.threads = 64 : i32} {
  %z = arith.constant 0 : index
  %a = tile.splat %i : i8 -> tensor<3x6xi8, #tile>
  %t = tile.splat %x : f16 -> tensor<3x6xf16, #tile>
  // Lanes 0 to 3 of warp 0.
  // CHECK: %[[LANES:.*]] = llvm.mlir.constant(28 : i32)
  // CHECK: llvm.and %{{.*}}, %[[LANES]]
  // CHECK: %[[WARPS:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.and %{{.*}}, %[[WARPS]]
  // CHECK: llvm.cond_br
  // CHECK-COUNT-16: llvm.store %{{.*}} : i8
  // CHECK-COUNT-16: llvm.store %{{.*}} : f16
  // CHECK: llvm.br ^[[LOOP:.*]](%{{.*}} : i32)
  // CHECK: ^[[LOOP]](%[[REGISTER:.*]]: i32)
  // Not of the copy, rows below 3, columns below 6.
  // CHECK: %[[COPY:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: llvm.and %[[REGISTER]], %[[COPY]]
  // CHECK: %[[ROWS:.*]] = llvm.mlir.constant(3 : i32)
  // CHECK: llvm.icmp "ult" %{{.*}}, %[[ROWS]]
  // CHECK: %[[COLUMNS:.*]] = llvm.mlir.constant(6 : i32)
  // CHECK: llvm.icmp "ult" %{{.*}}, %[[COLUMNS]]
  // CHECK: llvm.cond_br
  // CHECK: llvm.load %{{.*}} -> i8
  // CHECK: llvm.load %{{.*}} -> f16
  // CHECK: llvm.mlir.addressof @[[$TILE]]
  // CHECK: llvm.call @vprintf({{.*}}) {tile.coordinates = 2 : i32}
  // CHECK-NOT: @vprintf
  // CHECK: llvm.mlir.constant(16 : i32)
  // CHECK: llvm.cond_br %{{.*}}, ^[[LOOP]]
  tile.print "t" at %z, %z, %z with %a, %t : tensor<3x6xi8, #tile>, tensor<3x6xf16, #tile>
  tile.return
}
