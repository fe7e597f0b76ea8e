"""An internal error: LLVM compared a bitcast of 16 bits with a number that folds to zero by an ill-typed instruction."""

from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def kernel(A: ph.tensor[ph.f64][64], I: ph.tensor[ph.bf16][64], O: ph.tensor[ph.bool][64], P: ph.tensor[ph.bool][64]):
    O[:] = ph.bitcast(ph.bf16(A[:]), ph.f16) == (ph.full((64,), 0.1, ph.f32) - 0.1)
    P[:] = ph.bitcast(ph.bitcast(I[:], ph.i16), ph.f16) != 0.0


CASE = {
    "arguments": [
        {'name': 'A', 'dtype': 'f64', 'shape': (64,), 'data': 'special', 'seed': 1},
        {'name': 'I', 'dtype': 'bf16', 'shape': (64,), 'data': 'special', 'seed': 2},
        {'name': 'O', 'dtype': 'bool', 'shape': (64,), 'seed': 3},
        {'name': 'P', 'dtype': 'bool', 'shape': (64,), 'seed': 4},
    ],
    "grid": (1, 1, 1),
    "arch": 'sm_89',
}
