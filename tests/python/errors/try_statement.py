from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    try:
        x[0:+64] = 1.0 / x[0:+64]
    except ZeroDivisionError:
        x[0:+64] = 0.0


# $ phobosc try_statement.py
# try_statement.py:8:5: error: `try` is not part of the kernel language
#         try:
#         ^~~
# hint: a kernel cannot raise; `ph.assert_` checks
# exit status 1
