from __future__ import annotations

import phobos.lang as ph


@ph.fn
def scaled(t):
    t = t * 2.0
    return t


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = scaled(x[0:+64])


# $ phobosc fn_assigns_its_parameter.py
# fn_assigns_its_parameter.py:7:12: error: parameter `t` of `scaled` is assigned in its body
#     def scaled(t):
#                ^
# hint: use another name
# exit status 1
