# RUN: not phobosc --emit tile %s 2>&1 | FileCheck %s
# If this fails, a reshape that no layout serves dies inside the compiler and not at its place in the source.
from __future__ import annotations

import phobos.lang as ph

# CHECK: reshape-invalid.py:[[@LINE+6]]:{{[0-9]+}}: error: expected extents that are powers of two behind the first that changes, in a reshape from [8, 3] to [24]
# CHECK: ^


@ph.kernel
def odd(A: ph.tensor[ph.f32][8, 3], B: ph.tensor[ph.f32][24]):
    B[:] = ph.reshape(A[:, :], 24)
