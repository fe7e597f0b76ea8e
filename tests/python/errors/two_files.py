from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc two_files.py other.py
# error: one file at a time: 'two_files.py' and 'other.py'
# hint: phobosc --help lists options, phases and chips
# exit status 2
