from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    ph.print(x[0:+4])


# $ phobosc print_without_text.py
# print_without_text.py:8:14: error: expected a string as the first argument of `ph.print`, got a slice f32[4]
#         ph.print(x[0:+4])
#                  ^~~~~~~
# hint: write ph.print("x[0:+4]", x[0:+4])
# exit status 1
