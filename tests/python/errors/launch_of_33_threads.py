from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.launch(threads=33)
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc launch_of_33_threads.py
# launch_of_33_threads.py:7:20: error: expected whole warps of 32 threads, got 33 threads
#     @ph.launch(threads=33)
#                        ^~
# exit status 1
