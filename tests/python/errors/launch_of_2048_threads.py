from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.launch(2048)
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc launch_of_2048_threads.py
# launch_of_2048_threads.py:7:12: error: expected the number of threads to be an int from 32 to 1024, got 2048
#     @ph.launch(2048)
#                ^~~~
# exit status 1
