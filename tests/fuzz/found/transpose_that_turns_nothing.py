"""Wrong values: a transpose whose axes stay where they are folded into the product as one that turns its operand."""

from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.tensorcore
def kernel(A: ph.tensor[ph.f16][32, 32], B: ph.tensor[ph.f16][32, 32], C: ph.tensor[ph.f32][32, 32]):
    C[:, :] = ph.dot(A[:, :], ph.transpose(B[:, :], 0, 1))


CASE = {
    "arguments": [
        {'name': 'A', 'dtype': 'f16', 'shape': (32, 32), 'seed': 1},
        {'name': 'B', 'dtype': 'f16', 'shape': (32, 32), 'seed': 2},
        {'name': 'C', 'dtype': 'f32', 'shape': (32, 32), 'seed': 3},
    ],
}
