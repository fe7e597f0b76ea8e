// RUN: phobos-opt %s --nvvm-to-host | FileCheck %s
// RUN: phobos-opt %s '--nvvm-to-host=batch=false' | FileCheck %s --check-prefix=ALONE
// If this fails, the lanes of a warp meet more often than they must, or results go to the wrong slots.

!pair = vector<2xf16>
!four = !llvm.struct<(i32, i32, i32, i32)>
!sums = !llvm.struct<(f32, f32, f32, f32)>

// What a turn of a matrix product does is one meeting; the sums stay in their slots; a copy's issue between stays behind.
// CHECK-LABEL: llvm.func @turn
// CHECK: llvm.call @host.warpProgram
// CHECK-SAME: program = ["LdMatrix x4 0 -> 1 2 3 4", "LdMatrix x2 flags 1 5 -> 6 7", "MmaK16F16 1 2 3 4 6 7 8 9 10 11 -> 8 9 10 11", "MmaK16F16 1 2 3 4 6 7 8 9 10 11 -> 8 9 10 11"]
// CHECK-NOT: host.warpProgram
// CHECK: llvm.call @host.copyAsync
// CHECK-NOT: host.warpProgram
// CHECK: llvm.return
// ALONE-LABEL: llvm.func @turn
// ALONE-COUNT-4: llvm.call @host.warpProgram
llvm.mlir.global external @s() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<4096 x i8>
llvm.func @turn(%out: !llvm.ptr<1>, %i: i32, %c: f32, %c1: f32, %c2: f32, %c3: f32) attributes {nvvm.kernel} {
  %s = llvm.mlir.addressof @s : !llvm.ptr<3>
  %a = nvvm.ldmatrix %s {num = 4 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> !four
  %a0 = llvm.extractvalue %a[0] : !four
  %a1 = llvm.extractvalue %a[1] : !four
  %a2 = llvm.extractvalue %a[2] : !four
  %a3 = llvm.extractvalue %a[3] : !four
  %h0 = llvm.bitcast %a0 : i32 to !pair
  %h1 = llvm.bitcast %a1 : i32 to !pair
  %h2 = llvm.bitcast %a2 : i32 to !pair
  %h3 = llvm.bitcast %a3 : i32 to !pair
  %t = llvm.getelementptr %s[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  %b = nvvm.ldmatrix %t {num = 2 : i32, layout = #nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
  nvvm.cp.async.shared.global %s, %out, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  nvvm.cp.async.commit.group
  %b0 = llvm.extractvalue %b[0] : !llvm.struct<(i32, i32)>
  %b1 = llvm.extractvalue %b[1] : !llvm.struct<(i32, i32)>
  %g0 = llvm.bitcast %b0 : i32 to !pair
  %g1 = llvm.bitcast %b1 : i32 to !pair
  %d = nvvm.mma.sync A[%h0, %h1, %h2, %h3] B[%g0, %g1] C[%c, %c1, %c2, %c3] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (!pair, !pair, f32) -> !sums
  %d0 = llvm.extractvalue %d[0] : !sums
  %d1 = llvm.extractvalue %d[1] : !sums
  %d2 = llvm.extractvalue %d[2] : !sums
  %d3 = llvm.extractvalue %d[3] : !sums
  %e = nvvm.mma.sync A[%h0, %h1, %h2, %h3] B[%g0, %g1] C[%d0, %d1, %d2, %d3] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (!pair, !pair, f32) -> !sums
  %e0 = llvm.extractvalue %e[0] : !sums
  llvm.store %e0, %out : f32, !llvm.ptr<1>
  llvm.return
}

// A sum that somebody else uses keeps its slot; the next product's sum gets another.
// CHECK-LABEL: llvm.func @shared_sum
// CHECK: program = ["MmaK8F16 0 1 2 3 4 5 6 -> 3 4 5 6", "MmaK8F16 0 1 2 3 4 5 6 -> 7 4 5 6"]
llvm.func @shared_sum(%out: !llvm.ptr<1>, %a: !pair, %a1: !pair, %b: !pair, %c: f32, %c1: f32, %c2: f32, %c3: f32) attributes {nvvm.kernel} {
  %d = nvvm.mma.sync A[%a, %a1] B[%b] C[%c, %c1, %c2, %c3] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 8>} : (!pair, !pair, f32) -> !sums
  %d0 = llvm.extractvalue %d[0] : !sums
  %d1 = llvm.extractvalue %d[1] : !sums
  %d2 = llvm.extractvalue %d[2] : !sums
  %d3 = llvm.extractvalue %d[3] : !sums
  %e = nvvm.mma.sync A[%a, %a1] B[%b] C[%d0, %d1, %d2, %d3] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 8>} : (!pair, !pair, f32) -> !sums
  %e0 = llvm.extractvalue %e[0] : !sums
  %sum = llvm.fadd %d0, %e0 : f32
  llvm.store %sum, %out : f32, !llvm.ptr<1>
  llvm.return
}
