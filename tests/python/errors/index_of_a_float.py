from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def fill(x: ph.tensor[ph.f32][N]):
    x[N / 2] = 0.0


# $ phobosc index_of_a_float.py
# index_of_a_float.py:8:7: error: expected an integer as an index, got a scalar f32
#         x[N / 2] = 0.0
#           ^~~~~
# hint: `//` divides integers, `/` makes floats; ph.i32(x) truncates
# exit status 1
