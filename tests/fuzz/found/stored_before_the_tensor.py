"""An illegal instruction on the GPU: the copy engine was to store a tile that begins before its tensor."""

from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.launch(256)
@ph.tensorcore
def kernel(A: ph.tensor[ph.f16][256, M], B: ph.tensor[ph.f16][M, 64], O: ph.tensor[ph.f16][2, N, 16]):
    b: ph.let = ph.ctx.block.x
    acc: ph.var[ph.tile[ph.f32][128, 16]] = 1
    for k in range(0, M, 64):
        acc += ph.dot(A[b * 128 + 1:+128, k:+64], B[k:+64, 16:+16])
    O[b, b - 1:+128, 0:+16] = acc


CASE = {
    "arguments": [
        {'name': 'A', 'dtype': 'f16', 'shape': (256, 64), 'data': 'unit', 'seed': 1},
        {'name': 'B', 'dtype': 'f16', 'shape': (64, 64), 'data': 'unit', 'seed': 2},
        {'name': 'O', 'dtype': 'f16', 'shape': (2, 128, 16), 'seed': 3},
    ],
    "grid": (2, 1, 1),
    "arch": 'sm_90a',
}
