from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    ph.print("text", "more", x[0])


# $ phobosc print_two_texts.py
# print_two_texts.py:8:22: error: expected a number or a tile to print, got a string
#         ph.print("text", "more", x[0])
#                          ^~~~~~
# hint: one text comes first, the values after it
# exit status 1
