"""The compiler crashed: of a comparison of a cast with zero LLVM made a comparison of another type's zero."""

from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def kernel(A: ph.tensor[ph.f64][64], O: ph.tensor[ph.bool][64]):
    O[:] = ph.bitcast(ph.bf16(A[:]), ph.f16)


CASE = {
    "arguments": [
        {'name': 'A', 'dtype': 'f64', 'shape': (64,), 'data': 'special', 'seed': 1},
        {'name': 'O', 'dtype': 'bool', 'shape': (64,)},
    ],
    "optimise": '1',
}
