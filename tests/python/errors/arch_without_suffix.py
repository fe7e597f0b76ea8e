from __future__ import annotations

import phobos.lang as ph


@ph.kernel
def scale(x: ph.tensor[ph.f32][N]):
    x[0:+64] = x[0:+64] * 2.0


# $ phobosc arch_without_suffix.py --arch sm_90
# error: unknown chip 'sm_90'; did you mean 'sm_90a'? Supported: sm_75, sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_103a, sm_120a
# hint: phobosc --help lists options, phases and chips
# exit status 2
