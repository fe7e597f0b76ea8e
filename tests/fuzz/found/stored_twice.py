"""Wrong values: of two stores to the same elements by different threads the earlier was the last."""

from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.launch(128)
def kernel(A: ph.tensor[ph.f32][64, 64], C: ph.tensor[ph.f32][64, 64]):
    C[:, :] = A[:, :] + 1.0
    C[:, :] = A[:, :].T * 2.0


CASE = {
    "arguments": [
        {'name': 'A', 'dtype': 'f32', 'shape': (64, 64), 'data': 'unit', 'seed': 1},
        {'name': 'C', 'dtype': 'f32', 'shape': (64, 64), 'seed': 2},
    ],
}
