from __future__ import annotations

import phobos.lang as ph


@ph.kernel
@ph.launch(256)
@ph.tensorcore
@ph.pipeline(stages=4)
@ph.aligned(M=256, N=256, K=64)
def product(a: ph.tensor[ph.f16][M, K], b: ph.tensor[ph.f16][K, N], c: ph.tensor[ph.f32][M, N]):
    acc: ph.var[ph.tile[ph.f32][256, 256]] = 0.0
    for k in range(0, K, 64):
        acc += ph.dot(a[0:+256, k:+64], b[k:+64, 0:+256])
    c[0:+256, 0:+256] = acc


# $ phobosc shared_memory_exceeded.py
# shared_memory_exceeded.py:11:5: error: kernel needs 262144 bytes of shared memory; sm_80 has 166912 for a CTA
#     def product(a: ph.tensor[ph.f16][M, K], b: ph.tensor[ph.f16][K, N], c: ph.tensor[ph.f32][M, N]):
#         ^~~~~~~
# shared_memory_exceeded.py:14:9: note: 131072 bytes: 4 slots of 256 x 64 f16 for an operand of this contraction
#             acc += ph.dot(a[0:+256, k:+64], b[k:+64, 0:+256])
#             ^~~
# shared_memory_exceeded.py:14:9: note: 131072 bytes: 4 slots of 64 x 256 f16 for an operand of this contraction
#             acc += ph.dot(a[0:+256, k:+64], b[k:+64, 0:+256])
#             ^~~
# hint: at most 2 stages of these tiles fit; or take smaller tiles
# exit status 1
