from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def fill(x: ph.tensor[ph.f32][N]):
    ph = 3
    x[0:+64] = ph


# $ phobosc language_name_assigned.py
# language_name_assigned.py:8:5: error: `ph` is an imported name and cannot be assigned
#         ph = 3
#         ^~
# exit status 1
