from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def fill(x: ph.tensor[ph.f32][N]):
    x["first"] = 0.0


# $ phobosc index_of_a_string.py
# index_of_a_string.py:8:7: error: expected a number or a tile as an index, got a string
#         x["first"] = 0.0
#           ^~~~~~~
# exit status 1
