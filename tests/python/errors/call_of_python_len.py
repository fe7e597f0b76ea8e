from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def last(x: ph.tensor[ph.f32][N]):
    x[len(x) - 1] = 0.0


# $ phobosc call_of_python_len.py
# call_of_python_len.py:8:7: error: the tensor `x` has no length here
#         x[len(x) - 1] = 0.0
#           ^~~~~~
# hint: write t.shape[0]
# exit status 1
