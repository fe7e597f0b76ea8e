// RUN: phobos-opt %s --nvvm-to-host --split-input-file --verify-diagnostics
// If this fails, an instruction without a meaning on the host reaches the code generator, which ends the process.

llvm.mlir.global external @s() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<64 x i32>
llvm.func @unknown(%n: i32) attributes {nvvm.kernel} {
  %s = llvm.mlir.addressof @s : !llvm.ptr<3>
  // expected-error @+1 {{the host simulator cannot run nvvm.tcgen05.alloc}}
  nvvm.tcgen05.alloc %s, %n : !llvm.ptr<3>, i32
  llvm.return
}

// -----

llvm.func @ptx() attributes {nvvm.kernel} {
  // expected-error @+2 {{the host simulator cannot run inline PTX: trap;}}
  // expected-note @+1 {{hint: compile for a GPU target, or use the ph.* function for it}}
  llvm.inline_asm has_side_effects "trap;", "" : () -> ()
  llvm.return
}

// -----

llvm.func @intrinsic(%x: f32) attributes {nvvm.kernel} {
  // expected-error @+1 {{the host simulator cannot run llvm.call_intrinsic: llvm.nvvm.saturate.f}}
  %y = llvm.call_intrinsic "llvm.nvvm.saturate.f"(%x) : (f32) -> f32
  llvm.return
}

// -----

llvm.func @__nv_fast_sinf(f32) -> f32
llvm.func @libdevice(%x: f32) attributes {nvvm.kernel} {
  // expected-error @+1 {{the host simulator does not know libdevice's function __nv_fast_sinf}}
  %y = llvm.call @__nv_fast_sinf(%x) : (f32) -> f32
  llvm.return
}

// -----

llvm.func internal @helper() -> i32 {
  // expected-error @+1 {{the host simulator cannot run nvvm.read.ptx.sreg.tid.x in a function that is not inlined}}
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  llvm.return %tid : i32
}

// -----

llvm.func @shape(%a: f64, %c: f64) attributes {nvvm.kernel} {
  // expected-error @+1 {{the host simulator cannot run nvvm.mma.sync: this shape and these types}}
  %d = nvvm.mma.sync A[%a] B[%a] C[%c, %c] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 8, n = 8, k = 4>} : (f64, f64, f64) -> !llvm.struct<(f64, f64)>
  llvm.return
}

// -----

llvm.mlir.global external @s() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<64 x i32>
llvm.func internal @shared() -> i32 {
  // expected-error @+1 {{the host simulator cannot run llvm.mlir.addressof in a function that is not inlined}}
  %s = llvm.mlir.addressof @s : !llvm.ptr<3>
  %x = llvm.load %s : !llvm.ptr<3> -> i32
  llvm.return %x : i32
}
