# RUN: phobosc %s --list | FileCheck %s --check-prefix=LIST
# RUN: not phobosc %s 2>&1 | FileCheck %s --check-prefix=SEVERAL
# RUN: not phobosc %s --kernel scal 2>&1 | FileCheck %s --check-prefix=NONE
# RUN: not phobosc %s --kernel scale -D TILF=4 2>&1 | FileCheck %s --check-prefix=NAME
# RUN: not phobosc %s --kernel scale -D TILE=x 2>&1 | FileCheck %s --check-prefix=LITERAL
# RUN: not phobosc %s --kernel scale -D TILE=64 2>&1 | FileCheck %s --check-prefix=WHEN
# RUN: phobosc %s --kernel scale --emit contract | FileCheck %s --check-prefix=FIRST
# RUN: phobosc %s --kernel scale -D TILE=512 --emit contract | FileCheck %s --check-prefix=DEFINED
# Which kernel, and with which constants: the first candidates that `when` allows, or those of -D.
from __future__ import annotations

import phobos.lang as ph

BLOCK = 256


@ph.kernel
def copy(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N]):
    start: ph.let = ph.ctx.block.x * BLOCK
    y[start:+BLOCK] = x[start:+BLOCK]


@ph.kernel
@ph.autotune(TILE=[64, 128, 256], threads=[128, 64], when="TILE >= 2 * threads")
def scale(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N], alpha: ph.f32):
    start: ph.let = ph.ctx.block.x * TILE
    y[start:+TILE] = x[start:+TILE] * alpha


# LIST: {{.*}}kernels.py:[[#@LINE-12]]: copy(x: f32[N], y: f32[N])
# LIST-NEXT: {{.*}}kernels.py:[[#@LINE-6]]: scale(x: f32[N], y: f32[N], alpha: f32)
# LIST-NEXT: TILE = 64 | 128 | 256
# LIST-NEXT: threads = 128 | 64
# LIST-NEXT: when TILE >= 2 * threads

# SEVERAL: error: {{.*}}kernels.py has several kernels; choose one with --kernel: copy, scale
# NONE: error: no kernel 'scal' in {{.*}}kernels.py; did you mean 'scale'?
# NONE-NEXT: kernels: copy, scale
# NAME: error: -D TILF: kernel 'scale' has no such constant; did you mean 'TILE'? (it has TILE, threads)
# LITERAL: error: -D TILE: 'x' is not a number
# WHEN: error: no choice of constants with these -D satisfies when="TILE >= 2 * threads" of kernel 'scale'

# FIRST: "constants": [
# FIRST: "name": "TILE",
# FIRST-NEXT: "value": 128
# FIRST: "name": "threads",
# FIRST-NEXT: "value": 64
# FIRST: "threads": 64
# DEFINED: "value": 512
# DEFINED: "value": 128
