from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def apply(x: ph.tensor[ph.f32][N]):
    x[0] = ph.sum(x[0:+64], **options)


# $ phobosc keyword_unpacked.py
# keyword_unpacked.py:8:29: error: unpacking with `**` is not part of the kernel language
#         x[0] = ph.sum(x[0:+64], **options)
#                                 ^~
# hint: write the elements out
# exit status 1
