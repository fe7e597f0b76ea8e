"""A race: a loop of the consumers filled its slots again though copies that it had left in flight still wrote them."""

from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.tensorcore(f32='bf16x3')
@ph.autotune(stages=[4])
@ph.persistent
def kernel(A5: ph.tensor[ph.bool][6, 3], A10: ph.tensor[ph.f32][M5, 1], A16: ph.tensor[ph.f16][M12, M13], A17: ph.tensor[ph.f16][M13, M14], O18: ph.tensor[ph.i16][M8, 7], O19: ph.tensor[ph.f32][704, 32]):
    b: ph.let = ph.ctx.block.x
    v3: ph.var[ph.tile[ph.f32][8, 7]] = A5[b:+1, b:+7]
    for i5 in range(2, 6, 2):
        v3 = ph.dot(A10[16:+8, :], ph.f32(ph.full((1, 7), -1, ph.f16)), v3)
    acc9: ph.var[ph.tile[ph.f32][128, 32]] = 0
    for k8 in range(0, M13, 64):
        a10 = A16[b:+128, k8:+64]
        b11 = A17[k8:+64, 0:+32]
        acc9 += ph.dot(a10, b11)
    O18[b * 8:+8, 4:+7] += v3
    O19[b * 128:+128, 4:+32] = acc9


CASE = {
    "arguments": [
        {'name': 'A5', 'dtype': 'bool', 'shape': (6, 3), 'data': 'bits', 'seed': 230495},
        {'name': 'A10', 'dtype': 'f32', 'shape': (8, 1), 'seed': 422436, 'step': 3},
        {'name': 'A16', 'dtype': 'f16', 'shape': (256, 128), 'seed': 354297},
        {'name': 'A17', 'dtype': 'f16', 'shape': (128, 64), 'seed': 840546},
        {'name': 'O18', 'dtype': 'i16', 'shape': (1640, 7), 'seed': 856250},
        {'name': 'O19', 'dtype': 'f32', 'shape': (704, 32), 'seed': 268001},
    ],
    "grid": (200, 1, 1),
    "arch": 'sm_90a',
}



