"""The launch failed: the copy engine was to describe a tensor without elements."""

from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.aligned(M=64, N=64, K=64)
def kernel(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f32][M, N]):
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 1
    for k in range(0, K, 64):
        acc += ph.dot(A[0:+64, k:+64], B[k:+64, 0:+64])
    C[0:+64, 0:+64] = acc


CASE = {
    "arguments": [
        {'name': 'A', 'dtype': 'f16', 'shape': (64, 0)},
        {'name': 'B', 'dtype': 'f16', 'shape': (0, 64)},
        {'name': 'C', 'dtype': 'f32', 'shape': (64, 64), 'seed': 1},
    ],
    "arch": 'sm_90a',
}
