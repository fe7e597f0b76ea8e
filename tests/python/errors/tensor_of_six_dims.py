from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][A, B, C, D, E, F]):
    x[0, 0, 0, 0, 0, 0] = 0.0


# $ phobosc tensor_of_six_dims.py
# tensor_of_six_dims.py:7:32: error: expected at most 5 dims, got 6
#     def apply(x: ph.tensor[ph.f32][A, B, C, D, E, F]):
#                                    ^~~~~~~~~~~~~~~~
# exit status 1
