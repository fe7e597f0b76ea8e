from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    t = ph.print("x", x[0])


# $ phobosc print_value_used.py
# print_value_used.py:8:9: error: `ph.print` has no value
#         t = ph.print("x", x[0])
#             ^~~~~~~~~~~~~~~~~~~
# hint: put it on a line of its own
# exit status 1
