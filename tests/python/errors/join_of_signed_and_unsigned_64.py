from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def add(x: ph.tensor[ph.i64][N], y: ph.tensor[ph.u64][N]):
    x[0:+64] = x[0:+64] + y[0:+64]


# $ phobosc join_of_signed_and_unsigned_64.py
# join_of_signed_and_unsigned_64.py:8:16: error: i64 and u64 have no common type for `+`
#         x[0:+64] = x[0:+64] + y[0:+64]
#                    ^~~~~~~~~~~~~~~~~~~
# hint: convert one of them: ph.i64(...)
# exit status 1
