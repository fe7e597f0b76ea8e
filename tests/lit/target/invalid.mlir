// RUN: not phobos-opt --ptx=sm_75 %s 2>&1 | FileCheck %s
// RUN: not phobos-opt --ptx=sm_90 %s 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not phobos-opt --ptx=sm_75 --frob %s 2>&1 | FileCheck %s --check-prefix=FLAG
// What the back end cannot select on a chip comes back as an error; LLVM does not end the process.

// CHECK: error: NVPTX: Cannot select
// CHIP: error: unknown chip 'sm_90'; did you mean 'sm_90a'? Supported: sm_75, sm_80
// FLAG: error: unknown argument '--frob'
// FLAG-NEXT: usage: phobos-opt --ptx=CHIP
llvm.func @k() attributes {nvvm.kernel} {
  nvvm.cluster.arrive
  llvm.return
}
