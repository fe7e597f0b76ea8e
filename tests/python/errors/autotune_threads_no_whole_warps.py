from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.autotune(threads=[64, 100])
def zero(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc autotune_threads_no_whole_warps.py
# autotune_threads_no_whole_warps.py:7:27: error: expected whole warps of 32 threads, got 100 threads
#     @ph.autotune(threads=[64, 100])
#                               ^~~
# exit status 1
