from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0] = sum(x[0:+64])


# $ phobosc call_of_python_sum.py
# call_of_python_sum.py:8:12: error: `sum` is not defined
#         x[0] = sum(x[0:+64])
#                ^~~
# hint: did you mean `ph.sum`?
# exit status 1
