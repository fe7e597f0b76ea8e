from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.i32][N]):
    x[0:+64] = x[0:+64] & 0755


# $ phobosc octal_of_c.py
# octal_of_c.py:8:27: error: leading zeros in an integer literal are not permitted; an octal number is written 0o17
#         x[0:+64] = x[0:+64] & 0755
#                               ^~~~
# exit status 1
