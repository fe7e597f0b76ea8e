# RUN: phobosc %s --emit nvvm --print-after=tile-simplify-masks 2>&1 >/dev/null | FileCheck %s --check-prefix=AFTER
# RUN: not phobosc %s --print-after=tile-simplify-mask 2>&1 | FileCheck %s --check-prefix=UNKNOWN
# RUN: phobosc %s --emit ptx --verify --time-passes 2>&1 >/dev/null | FileCheck %s --check-prefix=TIME
# RUN: rm -rf %t && env PHOBOS_DUMP=%t phobosc %s > /dev/null && ls %t/double.sm_80.0 | FileCheck %s --check-prefix=DUMP
# RUN: env PHOBOS_DUMP=/dev/null/x phobosc %s 2>&1 >/dev/null | FileCheck %s --check-prefix=NODUMP
# IR between passes, times, and numbered dumps.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.launch(128)
def double(x: ph.tensor[ph.f32][N]):
    start: ph.let = ph.ctx.block.x * 256
    x[start:+256] = x[start:+256] * 2.0


# AFTER: // ---- after tile-simplify-masks
# AFTER-NEXT: module
# AFTER: tile.kernel @double
# AFTER-NOT: // ---- after
# UNKNOWN: error: unknown pass 'tile-simplify-mask'
# UNKNOWN-NEXT: hint: did you mean 'tile-simplify-masks'? Passes: tile-check-grid-barriers, tile-persist, canonicalize, {{.*}}tile-simplify-masks, {{.*}}tile-to-llvm
# TIME: parse {{ *[0-9.]+}} ms
# TIME: sema {{ *[0-9.]+}} ms
# TIME: irgen
# TIME: tile-assign-layouts
# TIME: tile-to-llvm
# TIME: llvm codegen
# TIME: total {{ *[0-9.]+}} ms
# DUMP: 00-tile-check-grid-barriers.mlir
# DUMP-NEXT: 01-tile-persist.mlir
# DUMP-NEXT: 02-canonicalize.mlir
# DUMP: {{[0-9]+}}-tile-to-llvm.mlir
# DUMP: {{[0-9]+}}-double.ll
# DUMP-NEXT: {{[0-9]+}}-double.ptx
# NODUMP: warning: PHOBOS_DUMP: no folder in /dev/null/x: Not a directory
