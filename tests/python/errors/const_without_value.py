# A constant parameter is part of what is compiled, so phobosc needs its value.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], relu: ph.const[ph.bool]):
    x[0:+64] = ph.max(x[0:+64], 0.0) if relu else x[0:+64]


# $ phobosc const_without_value.py
# const_without_value.py:8:36: error: the constant parameter `relu` has no value
#     def scale(x: ph.tensor[ph.f32][N], relu: ph.const[ph.bool]):
#                                        ^~~~~~~~~~~~~~~~~~~~~~~
# hint: give it one: -D relu=... to phobosc, relu=... to compile()
# exit status 1
