from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def total(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][1]):
    y[0] = ph.sum(x[0:+64], axes=0)


# $ phobosc keyword_misspelt.py
# keyword_misspelt.py:8:29: error: `ph.sum` has no parameter `axes`
#         y[0] = ph.sum(x[0:+64], axes=0)
#                                 ^~~~
# hint: did you mean `axis`?
# exit status 1
