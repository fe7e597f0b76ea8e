from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    x[0:+64) = 0.0


# $ phobosc bracket_of_another_kind.py
# bracket_of_another_kind.py:8:12: error: closing `)` does not match opening `[`
#         x[0:+64) = 0.0
#                ^
# bracket_of_another_kind.py:8:6: note: opened here
#         x[0:+64) = 0.0
#          ^
# exit status 1
