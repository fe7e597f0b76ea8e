from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    print "here"
    x[0:+64] = 0.0


# $ phobosc print_statement.py
# print_statement.py:8:5: error: `print` is a function
#         print "here"
#         ^~~~~
# hint: write `ph.print(...)`
# exit status 1
