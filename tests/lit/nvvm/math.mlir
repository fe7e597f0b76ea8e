// RUN: phobos-opt %s --tile-to-llvm | FileCheck %s
// If this fails, a function takes libdevice where a sequence of ours serves, or an approximation that is too coarse.

#a = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
!view = !tile.view<32xf32, strides = [1], align = 16>
!half = !tile.view<32xf16, strides = [1], align = 16>
module attributes {tile.chip = "sm_80"} {
  // What is rare is libdevice's; what is long is a function of the module.
  // CHECK-DAG: llvm.func @__nv_atanf(f32) -> f32 attributes {{.*}}memory_effects
  // CHECK-DAG: llvm.func internal @phobos_powf(%{{.*}}: f32, %{{.*}}: f32) -> f32
  // CHECK-LABEL: llvm.func @functions
  // exp(x) is 2^(x log2 e).
  // CHECK: %[[X:.*]] = llvm.load
  // CHECK: %[[LOG2E:.*]] = llvm.mlir.constant(1.44269502 : f32) : f32
  // CHECK: %[[SCALED:.*]] = llvm.fmul %[[X]], %[[LOG2E]] : f32
  // CHECK: %[[E:.*]] = llvm.intr.exp2(%[[SCALED]]) : (f32) -> f32
  // CHECK: %[[R:.*]] = llvm.intr.sqrt(%[[E]]) {fastmathFlags = #llvm.fastmath<afn>}
  // CHECK: %[[Q:.*]] = llvm.fdiv %{{.*}}, %[[R]] {fastmathFlags = #llvm.fastmath<afn>}
  // A square root is correctly rounded.
  // CHECK: %[[S:.*]] = llvm.intr.sqrt(%[[Q]]) : (f32) -> f32
  // CHECK: %[[T:.*]] = llvm.call @__nv_atanf(%[[S]])
  // CHECK: llvm.call @phobos_powf(%[[T]], %[[X]])
  // f16 is computed in f32.
  // CHECK: %[[H:.*]] = llvm.load {{.*}} -> f16
  // CHECK: llvm.fpext %[[H]] : f16 to f32
  // CHECK: llvm.intr.exp2(%{{.*}}) : (f32) -> f32
  // CHECK: llvm.fptrunc %{{.*}} : f32 to f16
  tile.kernel @functions(%A: !view, %H: !half) attributes {tile.threads = 32 : i32} {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%c0] whole [true] : !view -> tensor<32xf32, #a>
    %e = math.exp %x : tensor<32xf32, #a>
    %r = math.rsqrt %e : tensor<32xf32, #a>
    %s = math.sqrt %r : tensor<32xf32, #a>
    %t = math.atan %s : tensor<32xf32, #a>
    %p = math.powf %t, %x : tensor<32xf32, #a>
    tile.store %p, %A[%c0] whole [true] : tensor<32xf32, #a>, !view
    %h = tile.load %H[%c0] whole [true] : !half -> tensor<32xf16, #a>
    %i = math.exp2 %h : tensor<32xf16, #a>
    tile.store %i, %H[%c0] whole [true] : tensor<32xf16, #a>, !half
    tile.return
  }
}
