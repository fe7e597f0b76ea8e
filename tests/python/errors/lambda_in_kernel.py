from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    relu = lambda t: ph.max(t, 0.0)
    x[0:+64] = relu(x[0:+64])


# $ phobosc lambda_in_kernel.py
# lambda_in_kernel.py:8:12: error: a lambda is not part of the kernel language
#         relu = lambda t: ph.max(t, 0.0)
#                ^~~~~~
# hint: write a function with `@ph.fn`
# exit status 1
