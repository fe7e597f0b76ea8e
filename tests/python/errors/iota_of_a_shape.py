from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][M, N]):
    x[0:+16, 0:+16] = ph.iota((16, 16))


# $ phobosc iota_of_a_shape.py
# iota_of_a_shape.py:8:31: error: expected one extent for `ph.iota`
#         x[0:+16, 0:+16] = ph.iota((16, 16))
#                                   ^~~~~~~~
# hint: reshape the result
# exit status 1
