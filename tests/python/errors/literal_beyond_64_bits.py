from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def mask(x: ph.tensor[ph.u64][N]):
    x[0:+64] = 0xFFFFFFFFFFFFFFFFFF


# $ phobosc literal_beyond_64_bits.py
# literal_beyond_64_bits.py:8:16: error: 4722366482869645213695 does not fit in a 64-bit integer
#         x[0:+64] = 0xFFFFFFFFFFFFFFFFFF
#                    ^~~~~~~~~~~~~~~~~~~~
# exit status 1
