from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def relu(x: ph.tensor[ph.f32][N]):
    t = x[0:+64]
    x[t < 0] = 0.0


# $ phobosc index_of_a_mask.py
# index_of_a_mask.py:9:7: error: a mask cannot select elements: how many there are is known only at run time
#         x[t < 0] = 0.0
#           ^~~~~
# hint: load them all, then take ph.where(mask, t, other)
# exit status 1
