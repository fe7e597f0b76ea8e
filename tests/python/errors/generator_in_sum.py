from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def count(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][1]):
    y[0] = sum(x[i] for i in range(4))


# $ phobosc generator_in_sum.py
# generator_in_sum.py:8:21: error: a generator expression is not part of the kernel language
#         y[0] = sum(x[i] for i in range(4))
#                         ^~~
# hint: write the elements out, or fill a tile in a loop
# exit status 1
