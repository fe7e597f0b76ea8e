from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.persistent(order="random")
def apply(x: ph.tensor[ph.f32][N]):
    x[ph.ctx.block.x * 64:+64] = 0.0


# $ phobosc persistent_order.py
# persistent_order.py:7:22: error: expected "grid" or "queue" as `order`
#     @ph.persistent(order="random")
#                          ^~~~~~~~
# exit status 1
