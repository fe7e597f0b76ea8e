# RUN: not phobosc %s 2>&1 | FileCheck %s --strict-whitespace
# RUN: sh -c 'phobosc %s; test $? -eq 1'
# RUN: phobosc %s -D T=64 | FileCheck %s --check-prefix=FITS
# An error that a pass finds is shown on the Python source like any other, and is the user's.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.autotune(T=[256, 64], stages=[4])
@ph.launch(256)
@ph.tensorcore
@ph.aligned(M="T", N="T", K="T")
def product(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N]):
    acc: ph.var[ph.tile[ph.f32][T, T]] = 0.0
    for kt in range(0, K, T):
        acc += ph.dot(A[0:+T, kt:+T], B[kt:+T, 0:+T])
    C[0:+T, 0:+T] = acc


# CHECK: pass-error.py:[[#@LINE-7]]:5: error: kernel needs
# CHECK-NEXT:{{^    }}def product(A: ph.tensor
# CHECK-NEXT:{{^        }}^~~~~~~
# CHECK: pass-error.py:[[#@LINE-7]]:{{[0-9]+}}: note: {{[0-9]+}} bytes:
# CHECK-NEXT:{{^ +}}acc += ph.dot(
# CHECK: hint:
# FITS: .entry product(
