from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = ph.libdevice.asin(x[0:+64])


# $ phobosc later_libdevice.py
# later_libdevice.py:8:16: error: `ph.libdevice.asin` is not supported yet
#         x[0:+64] = ph.libdevice.asin(x[0:+64])
#                    ^~~~~~~~~~~~~~~~~
# exit status 1
