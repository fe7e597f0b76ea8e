# RUN: phobosc %s --kernel pipelined --remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=DONE --strict-whitespace
# RUN: phobosc %s --kernel blocked --remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=BLOCKED --strict-whitespace
# RUN: phobosc %s --kernel blocked 2>&1 >/dev/null | FileCheck %s --allow-empty --check-prefix=SILENT
# RUN: not phobosc %s --kernel asserted 2>&1 >/dev/null | FileCheck %s --check-prefix=ASSERTED
# What became of a loop is said at the loop, and what is in its way where that stands; where a depth was asked for it is an error.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.tensorcore
def pipelined(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N]):
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0.0
    for k in range(0, K, 32):
        acc += ph.dot(A[0:+64, k:+32], B[k:+32, 0:+64])
    C[0:+64, 0:+64] = acc


# DONE: remarks.py:[[#@LINE-5]]:5: remark: pipelined: 2 stages,
# DONE-NEXT:{{^        }}for k in range(0, K, 32):
# DONE-NEXT:{{^        }}^~~


@ph.kernel
@ph.tensorcore
def blocked(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N]):
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0.0
    for k in range(0, K, 32):
        acc += ph.dot(A[0:+64, k:+32], B[k:+32, 0:+64])
        C[0:+64, 0:+64] = acc


# BLOCKED: remarks.py:[[#@LINE-5]]:5: remark: loop not pipelined: an operation is in the way
# BLOCKED-NEXT:{{^        }}for k in range(0, K, 32):
# BLOCKED-NEXT:{{^        }}^~~
# BLOCKED-NEXT: remarks.py:[[#@LINE-6]]:9: note: tile.store: it may write what a later turn's copies read
# BLOCKED-NEXT:{{^            }}C[0:+64, 0:+64] = acc
# BLOCKED-NEXT:{{^            }}^
# SILENT-NOT: remark


@ph.kernel
@ph.tensorcore
@ph.pipeline(stages=3)
def asserted(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N]):
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0.0
    for k in range(0, K, 32):
        acc += ph.dot(A[0:+64, k:+32], B[k:+32, 0:+64])
        C[0:+64, 0:+64] = acc


# ASSERTED: remarks.py:[[#@LINE-5]]:5: error: loop not pipelined: an operation is in the way
