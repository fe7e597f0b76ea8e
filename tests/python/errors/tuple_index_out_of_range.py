from __future__ import annotations

import phobos.lang as ph

SHAPE = (64, 32)


@ph.kernel
def fill(x: ph.tensor[ph.f32][N]):
    x[0:+SHAPE[2]] = 0.0


# $ phobosc tuple_index_out_of_range.py
# tuple_index_out_of_range.py:10:16: error: index 2 is out of range for a tuple of 2
#         x[0:+SHAPE[2]] = 0.0
#                    ^
# exit status 1
