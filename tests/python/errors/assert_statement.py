from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    assert N > 0, "empty"
    x[0:+64] = x[0:+64] * 2.0


# $ phobosc assert_statement.py
# assert_statement.py:8:5: error: `assert` is not part of the kernel language
#         assert N > 0, "empty"
#         ^~~~~~
# hint: use `ph.assert_(condition, "message")`
# exit status 1
