"""Wrong values: the slice before the first was clamped into the tensor, though what was read there is stored."""

from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def kernel(A: ph.tensor[ph.f32][3, N], O: ph.tensor[ph.f32][3, N]):
    b: ph.let = ph.ctx.block.x
    O[b:+1, 0:+8] = A[b - 1:+1, 0:+8] + 1.0


CASE = {
    "arguments": [
        {'name': 'A', 'dtype': 'f32', 'shape': (3, 8), 'seed': 1},
        {'name': 'O', 'dtype': 'f32', 'shape': (3, 8), 'seed': 2},
    ],
    "grid": (3, 1, 1),
}
