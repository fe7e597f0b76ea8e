from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+16] = ph.zeros(16, dtype="float32")


# $ phobosc zeros_with_dtype_in_quotes.py
# zeros_with_dtype_in_quotes.py:8:35: error: expected a dtype as `dtype`, got a string
#         x[0:+16] = ph.zeros(16, dtype="float32")
#                                       ^~~~~~~~~
# exit status 1
