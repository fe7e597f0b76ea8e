from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]) {
    x[0:+64] = 0.0
}


# $ phobosc braces_as_blocks.py
# braces_as_blocks.py:7:36: error: expected `:` after the function's header, got `{`
#     def scale(x: ph.tensor[ph.f32][N]) {
#                                        ^
# exit status 1
