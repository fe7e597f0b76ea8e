# RUN: phobosc %s --kernel rows --arch sm_80 --emit ptx | FileCheck %s
# RUN: phobosc %s --kernel elements --arch sm_80 --emit ptx | FileCheck %s --check-prefix ONE
# RUN: phobosc %s --kernel invert --arch sm_80 --emit ptx | FileCheck %s --check-prefix ORDER
# If this fails, rows are no longer gathered 16 bytes at a time, an index is not loaded once for all elements that it picks, or a gather of what
# other threads have stored does not wait for them.
from __future__ import annotations

import phobos.lang as ph


# CHECK-LABEL: .entry rows
# CHECK-COUNT-1: ld.global.b32
# CHECK-NOT: ld.global.b32
# CHECK-COUNT-4: ld.global.v4.b32
# CHECK-NOT: ld.global
# CHECK-COUNT-4: st.global.v4.b32
@ph.kernel
@ph.launch(32)
def rows(A: ph.tensor[ph.f32][100, 64], I: ph.tensor[ph.i32][8], O: ph.tensor[ph.f32][8, 64]):
    O[:, :] = A[I[:], :]


# ONE-LABEL: .entry elements
# ONE: ld.global.v4.b32
# ONE-COUNT-4: ld.global.b32
# ONE: st.global.v4.b32
@ph.kernel
@ph.launch(32)
def elements(A: ph.tensor[ph.f32][100], I: ph.tensor[ph.i32][128], O: ph.tensor[ph.f32][128]):
    O[:] = A[I[:]]


# ORDER-LABEL: .entry invert
# ORDER: st.global
# ORDER: bar.sync
# ORDER: ld.global
@ph.kernel
@ph.launch(64)
def invert(I: ph.tensor[ph.i32][64], Q: ph.tensor[ph.i32][64], O: ph.tensor[ph.i32][64]):
    Q[I[:]] = ph.iota(64)
    O[:] = Q[I[:]]
