# The value of an environment variable, say.
from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def fill(x: ph.tensor[ph.f32][N]):
    x[0:+64] = int("64")


# $ phobosc int_of_string.py
# int_of_string.py:9:16: error: cannot make an int of "64"
#         x[0:+64] = int("64")
#                    ^~~~~~~~~
# exit status 1
