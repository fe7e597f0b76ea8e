from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.launch(256)
@ph.tensorcore
def product(a: ph.tensor[ph.f16][256, 512], b: ph.tensor[ph.f16][512, 256], c: ph.tensor[ph.f32][256, 256]):
    c[0:+256, 0:+256] = ph.dot(a[0:+256, 0:+512], b[0:+512, 0:+256])


# $ phobosc shared_memory_one_stage.py
# shared_memory_one_stage.py:9:5: error: kernel needs 524288 bytes of shared memory; sm_80 has 166912 for a CTA
#     def product(a: ph.tensor[ph.f16][256, 512], b: ph.tensor[ph.f16][512, 256], c: ph.tensor[ph.f32][256, 256]):
#         ^~~~~~~
# shared_memory_one_stage.py:10:25: note: 262144 bytes: 1 slot of 256 x 512 f16 for an operand of this contraction
#         c[0:+256, 0:+256] = ph.dot(a[0:+256, 0:+512], b[0:+512, 0:+256])
#                             ^~~~~~
# shared_memory_one_stage.py:10:25: note: 262144 bytes: 1 slot of 512 x 256 f16 for an operand of this contraction
#         c[0:+256, 0:+256] = ph.dot(a[0:+256, 0:+512], b[0:+512, 0:+256])
#                             ^~~~~~
# hint: not even one stage of these tiles fits; take smaller tiles
# exit status 1
