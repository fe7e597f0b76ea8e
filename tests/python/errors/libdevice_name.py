from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = ph.libdevice.arcsin(x[0:+64])


# $ phobosc libdevice_name.py
# libdevice_name.py:8:16: error: `ph.libdevice.arcsin` is not known
#         x[0:+64] = ph.libdevice.arcsin(x[0:+64])
#                    ^~~~~~~~~~~~~~~~~~~
# hint: did you mean `ph.libdevice.asin`?
# exit status 1
