"""Wrong values: a scalar past the tensor's end was clamped into it, and decided whether there was to be a store."""

from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def kernel(A: ph.tensor[ph.i32][M], O: ph.tensor[ph.i32][M, 8], P: ph.tensor[ph.i32][8]):
    b: ph.let = ph.ctx.block.x
    if A[b] != 0:
        O[b, :] = 5
        if b == 3:
            P[:] = 7


CASE = {
    "arguments": [
        {'name': 'A', 'dtype': 'i32', 'shape': (3,), 'data': 'bits', 'seed': 1},
        {'name': 'O', 'dtype': 'i32', 'shape': (3, 8), 'seed': 2},
        {'name': 'P', 'dtype': 'i32', 'shape': (8,), 'seed': 3},
    ],
    "grid": (4, 1, 1),
}
