from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def copy(x: ph.tensor[ph.f32][N]):
    x.shape = 64


# $ phobosc attribute_assigned.py
# attribute_assigned.py:8:5: error: expected a name or a slice of a tensor to assign to
#         x.shape = 64
#         ^~~~~~~
# exit status 1
