from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], alpha):
    x[0:+64] = x[0:+64] * alpha


# $ phobosc parameter_without_a_type.py
# parameter_without_a_type.py:7:36: error: parameter `alpha` needs a type
#     def scale(x: ph.tensor[ph.f32][N], alpha):
#                                        ^~~~~
# hint: write `alpha: ph.tensor[ph.f32][N]` or `alpha: ph.f32`
# exit status 1
