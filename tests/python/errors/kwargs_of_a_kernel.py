from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N], **options):
    x[0:+64] = 0.0


# $ phobosc kwargs_of_a_kernel.py
# kwargs_of_a_kernel.py:7:36: error: a variable number of parameters is not part of the kernel language
#     def scale(x: ph.tensor[ph.f32][N], **options):
#                                        ^~
# hint: name each parameter
# exit status 1
