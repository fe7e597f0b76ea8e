from __future__ import annotations

import phobos.lang as ph


@ph.kernel(key="N")
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc kernel_key_a_string.py
# kernel_key_a_string.py:6:16: error: expected a list of names as `key`
#     @ph.kernel(key="N")
#                    ^~~
# hint: write key=["M", "N"]
# exit status 1
