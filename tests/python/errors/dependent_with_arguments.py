from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.dependent(True)
def apply(x: ph.tensor[ph.f32][N]):
    x[0:+64] = 0.0


# $ phobosc dependent_with_arguments.py
# dependent_with_arguments.py:7:15: error: expected at most 0 arguments in call of `ph.dependent`
#     @ph.dependent(True)
#                   ^~~~
# hint: `ph.dependent` takes ()
# exit status 1
