"""Wrong values: floor quotients of 16-bit floats were rounded at each step."""

from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def kernel(A: ph.tensor[ph.f16][256], B: ph.tensor[ph.f16][256], C: ph.tensor[ph.bf16][256], O: ph.tensor[ph.f16][256], P: ph.tensor[ph.bf16][256]):
    O[:] = A[:] // B[:]
    P[:] = C[:] // 0.3


CASE = {
    "arguments": [
        {'name': 'A', 'dtype': 'f16', 'shape': (256,), 'data': 'wide', 'seed': 1},
        {'name': 'B', 'dtype': 'f16', 'shape': (256,), 'data': 'unit', 'seed': 2},
        {'name': 'C', 'dtype': 'bf16', 'shape': (256,), 'data': 'wide', 'seed': 3},
        {'name': 'O', 'dtype': 'f16', 'shape': (256,)},
        {'name': 'P', 'dtype': 'bf16', 'shape': (256,)},
    ],
}
