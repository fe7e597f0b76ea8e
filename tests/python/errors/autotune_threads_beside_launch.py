from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.autotune(threads=[64, 128])
@ph.launch(256)
def zero(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc autotune_threads_beside_launch.py
# autotune_threads_beside_launch.py:7:14: error: `threads` is tuned, but `@ph.launch` says how many there are
#     @ph.autotune(threads=[64, 128])
#                  ^~~~~~~
# hint: leave out one of the two
# exit status 1
