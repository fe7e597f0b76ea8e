from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    start = ph.ctx.block.x * 64
      x[start:+64] = 0.0


# $ phobosc indentation_unexpected.py
# indentation_unexpected.py:9:7: error: unexpected indentation
#           x[start:+64] = 0.0
#           ^
# exit status 1
