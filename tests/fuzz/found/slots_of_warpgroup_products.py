"""A race: a slot that a warpgroup's product was still reading was filled again, for a barrier had been before the wait."""

from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.tensorcore
def kernel(A1: ph.tensor[ph.bf16][128, 32], A2: ph.tensor[ph.bf16][32, M0], A3: ph.tensor[ph.f16][256, M0], O6: ph.tensor[ph.f32][352, M2], O7: ph.tensor[ph.f32][M3, M4]):
    acc2: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for k1 in range(0, 32, 16):
        a3 = A1[4:+64, k1:+16]
        b4 = A2[k1:+16, 0:+64]
        acc2 += ph.dot(a3, b4)
    acc6: ph.var[ph.tile[ph.f32][128, 16]] = 1
    for k5 in range(0, M0, 16):
        a7 = A3[128:+128, k5:+16]
        acc6 += a7
    O6[0:+64, 4:+64] = acc2
    O7[0:+128, 4:+16] += acc6


CASE = {
    "arguments": [
        {'name': 'A1', 'dtype': 'bf16', 'shape': (128, 32), 'data': 'unit'},
        {'name': 'A2', 'dtype': 'bf16', 'shape': (32, 64), 'data': 'unit'},
        {'name': 'A3', 'dtype': 'f16', 'shape': (256, 64)},
        {'name': 'O6', 'dtype': 'f32', 'shape': (352, 64)},
        {'name': 'O7', 'dtype': 'f32', 'shape': (767, 16)},
    ],
    "arch": 'sm_90a',
}
