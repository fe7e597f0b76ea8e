# RUN: phobosc %s | FileCheck %s --check-prefix=PTX
# RUN: phobosc - < %s | FileCheck %s --check-prefix=PTX
# RUN: phobosc %s -o - | FileCheck %s --check-prefix=PTX
# RUN: phobosc %s --emit tile,ptx --arch sm_90a | FileCheck %s --check-prefix=BOTH
# RUN: rm -rf %t && mkdir %t
# RUN: phobosc %s --emit ast,tile,layout,dot,pipelined,nvvm,llvm,ptx -o %t/k
# RUN: ls %t | FileCheck %s --check-prefix=FILES
# RUN: FileCheck %s --check-prefix=PTX < %t/k.ptx
# RUN: not phobosc %s --emit cubin,ptx 2>&1 | FileCheck %s --check-prefix=BINARY
# RUN: not phobosc %s -o %t/no/such/folder 2>&1 | FileCheck %s --check-prefix=WRITE
# One phase goes to standard output or to -o; several are told apart by a header or a suffix.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.launch(128)
def double(x: ph.tensor[ph.f32][N]):
    start: ph.let = ph.ctx.block.x * 256
    x[start:+256] = x[start:+256] * 2.0


# PTX: .target sm_80
# PTX: .entry double(
# BOTH: // ---- tile
# BOTH: tile.kernel @double
# BOTH: // ---- ptx
# BOTH: .target sm_90a
# FILES: k.ast
# FILES-NEXT: k.dot.mlir
# FILES-NEXT: k.layout.mlir
# FILES-NEXT: k.ll
# FILES-NEXT: k.nvvm.mlir
# FILES-NEXT: k.pipelined.mlir
# FILES-NEXT: k.ptx
# FILES-NEXT: k.tile.mlir
# BINARY: error: a cubin is not text: name a file with -o
# WRITE: error: cannot write {{.*}}folder: No such file or directory
