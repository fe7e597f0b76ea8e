from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = ph.max(x[0:+64], 0.0, axis=0)


# $ phobosc max_of_two_with_axis.py
# max_of_two_with_axis.py:8:16: error: `ph.max` of two operands works element by element and takes no axis
#         x[0:+64] = ph.max(x[0:+64], 0.0, axis=0)
#                    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# exit status 1
