// RUN: phobos-opt --ptx=sm_80 %s | FileCheck %s
// If this fails, the casts are expanded around the instruction that saturates by itself, seven instructions for one.

// From f32 to 32 bits the instruction does all of it, NaN included.
// CHECK-LABEL: .entry word(
// CHECK: ld.global.b32
// CHECK-NEXT: cvt.rzi.s32.f32
// CHECK-NEXT: st.global.b32
llvm.func @word(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %x = llvm.load %p : !llvm.ptr<1> -> f32
  %i = llvm.call_intrinsic "llvm.fptosi.sat"(%x) : (f32) -> i32
  llvm.store %i, %p : i32, !llvm.ptr<1>
  llvm.return
}

// CHECK-LABEL: .entry unsigned(
// CHECK: ld.global.b32
// CHECK-NEXT: cvt.rzi.u32.f32
// CHECK-NEXT: st.global.b32
llvm.func @unsigned(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %x = llvm.load %p : !llvm.ptr<1> -> f32
  %i = llvm.call_intrinsic "llvm.fptoui.sat"(%x) : (f32) -> i32
  llvm.store %i, %p : i32, !llvm.ptr<1>
  llvm.return
}

// Narrower results are clamped once more.
// CHECK-LABEL: .entry byte(
// CHECK: cvt.f32.f16
// CHECK-NEXT: cvt.rzi.s32.f32
// CHECK-NEXT: max.s32 {{.*}}, -128;
// CHECK-NEXT: min.s32 {{.*}}, 127;
// CHECK-NEXT: st.global.b8
llvm.func @byte(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %x = llvm.load %p : !llvm.ptr<1> -> f16
  %i = llvm.call_intrinsic "llvm.fptosi.sat"(%x) : (f16) -> i8
  llvm.store %i, %p : i8, !llvm.ptr<1>
  llvm.return
}

// CHECK-LABEL: .entry short(
// CHECK: cvt.rzi.u32.f32
// CHECK-NEXT: min.u32 {{.*}}, 65535;
// CHECK-NEXT: st.global.b16
llvm.func @short(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %x = llvm.load %p : !llvm.ptr<1> -> f32
  %i = llvm.call_intrinsic "llvm.fptoui.sat"(%x) : (f32) -> i16
  llvm.store %i, %p : i16, !llvm.ptr<1>
  llvm.return
}

// Where f64 or 64 bits take part, NaN is selected away.
// CHECK-LABEL: .entry long(
// CHECK-DAG: cvt.rzi.s64.f32
// CHECK-DAG: setp.nan.f32
// CHECK: selp.b64 {{.*}}, 0, {{.*}};
llvm.func @long(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %x = llvm.load %p : !llvm.ptr<1> -> f32
  %i = llvm.call_intrinsic "llvm.fptosi.sat"(%x) : (f32) -> i64
  llvm.store %i, %p : i64, !llvm.ptr<1>
  llvm.return
}

// CHECK-LABEL: .entry double(
// CHECK-DAG: cvt.rzi.u32.f64
// CHECK-DAG: setp.nan.f64
// CHECK: selp.b32 {{.*}}, 0, {{.*}};
llvm.func @double(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %x = llvm.load %p : !llvm.ptr<1> -> f64
  %i = llvm.call_intrinsic "llvm.fptoui.sat"(%x) : (f64) -> i32
  llvm.store %i, %p : i32, !llvm.ptr<1>
  llvm.return
}
