from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def tail(x: ph.tensor[ph.f32][N]):
    x[1:-1] = 0.0


# $ phobosc slice_negative_stop.py
# slice_negative_stop.py:8:9: error: a negative stop does not count from the end
#         x[1:-1] = 0.0
#             ^~
# hint: write the extent out, or start:+LENGTH
# exit status 1
