from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    mode = "fast
    x[0:+64] = 0.0


# $ phobosc string_not_closed.py
# string_not_closed.py:8:12: error: unterminated string
#         mode = "fast
#                ^
# hint: close it with "
# exit status 1
