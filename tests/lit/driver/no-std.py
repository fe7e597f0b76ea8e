# RUN: phobosc %s --kernel plain --no-std --emit tile | FileCheck %s
# RUN: phobosc %s --kernel library --emit tile | FileCheck %s --check-prefix WITH
# RUN: not phobosc %s --kernel library --no-std --emit tile 2>&1 | FileCheck %s --check-prefix WITHOUT
# If this fails, --no-std no longer leaves the library out, or takes something of the language with it.
from __future__ import annotations

import phobos.lang as ph


# CHECK: tile.kernel @plain
@ph.kernel
def plain(A: ph.tensor[ph.f32][N]):
    A[0:+ph.std.cdiv(100, 8)] = 1.0
    A[16:+16] = ph.cat(A[0:+8], A[8:+8])


# WITH: tile.kernel @library
# WITHOUT: no-std.py:[[@LINE+5]]:{{[0-9]+}}: error: `ph.std.relu` is of the library, which is left out
# WITHOUT: hint: compile without --no-std
@ph.kernel
def library(A: ph.tensor[ph.f32][N]):
    row = ph.ctx.block.x * 64
    A[row:+64] = ph.std.relu(A[row:+64])
