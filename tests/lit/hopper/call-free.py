# RUN: phobosc %s --kernel quotients --arch sm_90a --emit ptx | FileCheck %s --check-prefix=QUOTIENTS
# RUN: phobosc %s --kernel quotients --arch sm_90a --emit cubin -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS --allow-empty
# RUN: phobosc %s --kernel sines --arch sm_90a --emit ptx -o %t.ptx --remarks 2>&1 | FileCheck %s --check-prefix=SINES
# RUN: phobosc %s --kernel quotients --arch sm_80 --emit ptx | FileCheck %s --check-prefix=ELSEWHERE
# ptxas serialises wgmma in a kernel that calls, and its correctly rounded division and root are calls: beside wgmma they are ours.
from __future__ import annotations

import phobos.lang as ph

# PTXAS-NOT: C75


# QUOTIENTS-NOT: div.rn
# QUOTIENTS-NOT: sqrt.rn
# QUOTIENTS: rsqrt.approx.ftz.f64
# QUOTIENTS: rcp.approx.ftz.f64
# ELSEWHERE-NOT: approx.ftz.f64
# ELSEWHERE: sqrt.rn.f32
# ELSEWHERE: div.rn.f32
@ph.kernel
@ph.launch(128)
@ph.tensorcore
def quotients(A: ph.tensor[ph.f16][64, 256], B: ph.tensor[ph.f16][256, 64], C: ph.tensor[ph.f32][64, 64]):
    acc: ph.var = ph.zeros((64, 64))
    for k in range(0, 256, 64):
        acc = ph.dot(A[0:+64, k:+64], B[k:+64, 0:+64], acc)
    C[:, :] = acc / ph.sqrt(acc + 1.5)


# SINES: call-free.py:[[@LINE+8]]:15: remark: this is a call, and ptxas serialises the warpgroup products of a kernel that calls
@ph.kernel
@ph.launch(128)
@ph.tensorcore
def sines(A: ph.tensor[ph.f16][64, 256], B: ph.tensor[ph.f16][256, 64], C: ph.tensor[ph.f32][64, 64]):
    acc: ph.var = ph.zeros((64, 64))
    for k in range(0, 256, 64):
        acc = ph.dot(A[0:+64, k:+64], B[k:+64, 0:+64], acc)
    C[:, :] = ph.sin(acc)
