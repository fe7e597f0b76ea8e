from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][-1]):
    x[0] = 0.0


# $ phobosc tensor_negative_dim.py
# tensor_negative_dim.py:7:32: error: expected a name or an int that is not negative as dim, got -1
#     def apply(x: ph.tensor[ph.f32][-1]):
#                                    ^~
# exit status 1
