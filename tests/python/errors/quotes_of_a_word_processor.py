from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    ph.print(“here”)


# $ phobosc quotes_of_a_word_processor.py
# quotes_of_a_word_processor.py:8:14: error: invalid character `“` (U+201C)
#         ph.print(“here”)
#                  ^
# quotes_of_a_word_processor.py:8:19: error: invalid character `”` (U+201D)
#         ph.print(“here”)
#                       ^
# exit status 1
