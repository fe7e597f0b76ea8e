from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def count(x: ph.tensor[ph.f32][N]):
    parts = [x[i] for i in range(4)]
    x[0] = parts[0]


# $ phobosc comprehension.py
# comprehension.py:8:19: error: a list comprehension is not part of the kernel language
#         parts = [x[i] for i in range(4)]
#                       ^~~
# hint: write the elements out, or fill a tile in a loop
# exit status 1
