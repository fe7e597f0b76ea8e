from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def fill(x: ph.tensor[ph.f32][N]):
    for i in ph.static_range(4):
        x[i] = 0.0


# $ phobosc range_of_triton.py
# range_of_triton.py:8:14: error: `ph.static_range` is not known
#         for i in ph.static_range(4):
#                  ^~~~~~~~~~~~~~~
# hint: did you mean `ph.unroll`?
# exit status 1
