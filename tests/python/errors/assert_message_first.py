from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    ph.assert_("positive", x[0:+4] > 0)


# $ phobosc assert_message_first.py
# assert_message_first.py:8:16: error: expected a number or a tile as the condition of `ph.assert_`, got a string
#         ph.assert_("positive", x[0:+4] > 0)
#                    ^~~~~~~~~~
# assert_message_first.py:8:28: error: expected a string as the message of `ph.assert_`, got a tile bool[4]
#         ph.assert_("positive", x[0:+4] > 0)
#                                ^~~~~~~~~~~
# hint: a string in quotes; ph.print shows values
# exit status 1
