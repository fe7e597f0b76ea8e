from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def total(x: ph.tensor[ph.f32][N]):
    x[0] = 0.0
    elif N > 3:
        x[1] = 0.0


# $ phobosc elif_without_if.py
# elif_without_if.py:9:5: error: `elif` without an `if` before it
#         elif N > 3:
#         ^~~~
# exit status 1
