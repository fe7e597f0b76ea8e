from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def show(x: ph.tensor[ph.f32][N]):
    ph.print("start)
    x[0] = 0.0


# $ phobosc string_not_closed_in_a_call.py
# string_not_closed_in_a_call.py:8:14: error: unterminated string
#         ph.print("start)
#                  ^
# hint: close it with "
# exit status 1
