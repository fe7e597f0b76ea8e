# A closure would see `alpha`; a device function sees its own parameters and the module.
from __future__ import annotations

import phobos.lang as ph


@ph.fn
def scaled(t):
    return t * alpha


@ph.kernel
def apply(x: ph.tensor[ph.f32][N], alpha: ph.f32):
    x[0:+64] = scaled(x[0:+64])


# $ phobosc fn_sees_the_caller.py
# fn_sees_the_caller.py:9:16: error: `alpha` is not defined
#         return t * alpha
#                    ^~~~~
# fn_sees_the_caller.py:14:16: note: in `scaled`, called from here
#         x[0:+64] = scaled(x[0:+64])
#                    ^~~~~~~~~~~~~~~~
# hint: a device function does not see the names of its caller: pass it as an argument
# exit status 1
