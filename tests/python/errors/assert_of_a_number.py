from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    ph.assert_(N % 64, "whole tiles")


# $ phobosc assert_of_a_number.py
# assert_of_a_number.py:8:16: error: expected a bool, or a tile of them, as the condition of `ph.assert_`, got a scalar index
#         ph.assert_(N % 64, "whole tiles")
#                    ^~~~~~
# hint: compare it: N % 64 != 0
# exit status 1
