# REQUIRES: ptxas
# RUN: phobosc %s --arch sm_90a --emit cubin --resources -o %t.cubin 2>&1 | FileCheck %s
# RUN: phobosc %s --arch sm_80 --emit contract | FileCheck %s --check-prefix=JSON
# RUN: env PHOBOS_ASSEMBLER=frob not phobosc %s --emit contract 2>&1 | FileCheck %s --check-prefix=TOOL
# RUN: env PHOBOS_ASSEMBLER=ptxas PHOBOS_PTXAS=/none not phobosc %s --emit contract 2>&1 | FileCheck %s --check-prefix=NONE
# RUN: sh -c 'PHOBOS_ASSEMBLER=frob phobosc %s --emit contract; test $? -eq 3'
# RUN: sh -c 'phobosc %s --emit ptx > /dev/full; test $? -eq 1'
# The cubin, what it needs, and the contract that launches it.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.launch(64)
def axpy(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N], alpha: ph.f32):
    start: ph.let = ph.ctx.block.x * 256
    y[start:+256] = y[start:+256] + x[start:+256] * alpha


# CHECK: axpy on sm_90a: 64 threads, {{[1-9][0-9]*}} registers, 0 bytes of shared memory, 0 bytes spilled, 0 bytes of stack
# JSON: "chip": "sm_80",
# JSON: "entry": "axpy",
# JSON: "parameters": [
# JSON: "kind": "pointer"
# JSON: "kind": "pointer"
# JSON: "kind": "extent"
# JSON: "kind": "scalar"
# JSON: "registers": {{[1-9]}}
# JSON: "threads": 64
# TOOL: error: PHOBOS_ASSEMBLER is 'frob'; expected 'nvjitlink' or 'ptxas'
# NONE: error: ptxas was not found, and PHOBOS_ASSEMBLER allows no other (PHOBOS_PTXAS is '/none', which cannot be executed); a cubin needs
# NONE: hint: set CUDA_HOME, or PHOBOS_PTXAS to ptxas itself
