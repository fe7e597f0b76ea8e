from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    ph.load(x[0:+64]) = 0.0


# $ phobosc assignment_to_call.py
# assignment_to_call.py:8:5: error: cannot assign to the result of a call
#         ph.load(x[0:+64]) = 0.0
#         ^~~~~~~~~~~~~~~~~
# hint: a name, `a[...]` or a tuple of them stands left of the `=`
# exit status 1
