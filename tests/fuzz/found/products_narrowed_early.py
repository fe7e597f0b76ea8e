"""Wrong values: LLVM narrowed a product of bf16 and f32 to f16 before it was made."""

from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def kernel(A14: ph.tensor[ph.f32][3, 31], A15: ph.tensor[ph.bf16][3, 32, 1], O16: ph.tensor[ph.f16][63, M11]):
    b: ph.let = ph.ctx.block.x
    O16[b:+32, 0:+3] = ph.transpose(A15[b:+3, 0:+32, b] * A14[3:+3, 0:+32], 1, 0)


CASE = {
    "arguments": [
        {'name': 'A14', 'dtype': 'f32', 'shape': (3, 31), 'seed': 62353},
        {'name': 'A15', 'dtype': 'bf16', 'shape': (3, 32, 1), 'data': 'special', 'seed': 183739},
        {'name': 'O16', 'dtype': 'f16', 'shape': (63, 7), 'seed': 377108},
    ],
    "optimise": '1',
}
