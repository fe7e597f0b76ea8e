from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor["f32"][N]):
    x[0:+64] = 0.0


# $ phobosc dtype_as_string.py
# dtype_as_string.py:7:24: error: expected a dtype of a tensor, got a string
#     def apply(x: ph.tensor["f32"][N]):
#                            ^~~~~
# exit status 1
