from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.u16][N]):
    y[0:+16] = ph.bitcast(x[0:+16], ph.u16)


# $ phobosc bitcast_of_another_width.py
# bitcast_of_another_width.py:8:16: error: `ph.bitcast` keeps the width: f32 is not as wide as u16
#         y[0:+16] = ph.bitcast(x[0:+16], ph.u16)
#                    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
# exit status 1
