"""Reads past a tensor: every tile divides an extent of 0, so that none was masked."""

from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.aligned(M=8, N=16)
def kernel(A: ph.tensor[ph.f16][M, N], B: ph.tensor[ph.f32][K], O: ph.tensor[ph.f32][8, 16]):
    O[:, :] = A[0:+8, 0:+16] + B[0:+1]


CASE = {
    "arguments": [
        {'name': 'A', 'dtype': 'f16', 'shape': (0, 16)},
        {'name': 'B', 'dtype': 'f32', 'shape': (0,)},
        {'name': 'O', 'dtype': 'f32', 'shape': (8, 16), 'seed': 1},
    ],
}
