"""Compiling took minutes: in a block with thousands of instructions LLVM ordered hundreds of comparisons, whose flags are one register."""

from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.launch(32)
@ph.autotune(stages=[4])
def kernel(A14: ph.tensor[ph.f16][M11, 49], A15: ph.tensor[ph.f16][M12, 49], O19: ph.tensor[ph.f32][M16, M17]):
    b: ph.let = ph.ctx.block.x + ph.ctx.grid.x * ph.ctx.block.y
    acc12: ph.var[ph.tile[ph.f32][64, 24]] = 1
    for k11 in range(0, 49, 24):
        a13 = A14[b * 64:+64, k11:+24]
        b14 = A15[b * 24:+24, k11:+24]
        acc12 += ph.dot_t(a13, b14)
    O19[b * 64 - 2:+64, b - 1:+24] = acc12


CASE = {
    "arguments": [
        {'name': 'A14', 'dtype': 'f16', 'shape': (63, 49), 'data': 'unit', 'seed': 772548},
        {'name': 'A15', 'dtype': 'f16', 'shape': (33, 49), 'data': 'unit', 'seed': 772548},
        {'name': 'O19', 'dtype': 'f32', 'shape': (63, 30), 'data': 'unit', 'seed': 772548},
    ],
    "optimise": '1',
}
