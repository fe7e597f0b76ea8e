"""What we are measured against, beside cuBLAS and PyTorch: Triton kernels of the algorithms of its tutorials 01, 03 and 09."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


def _configs(shapes, hook=None):
    return [triton.Config(dict(BM=m, BN=n, BK=k, G=8), num_stages=stages, num_warps=warps, pre_hook=hook) for m, n, k, stages, warps in shapes]


POINTER_SHAPES = [
    (128, 256, 64, 3, 8), (128, 128, 64, 4, 4), (128, 128, 64, 4, 8), (64, 256, 64, 4, 4),
    (256, 128, 64, 3, 8), (64, 128, 64, 4, 4), (64, 64, 64, 4, 4), (64, 64, 32, 5, 4),
]  # fmt: skip


@triton.autotune(configs=_configs(POINTER_SHAPES), key=["M", "N", "K"])
@triton.jit
def matmul_pointers(a, b, c, M, N, K, sam, sak, sbk, sbn, scm, scn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, G: tl.constexpr):
    pid = tl.program_id(0)
    blocks_m = tl.cdiv(M, BM)
    blocks_n = tl.cdiv(N, BN)
    in_group = G * blocks_n
    first = pid // in_group * G
    rows = min(blocks_m - first, G)
    pm = first + pid % in_group % rows
    pn = pid % in_group // rows
    offsets_m = (pm * BM + tl.arange(0, BM)) % M
    offsets_n = (pn * BN + tl.arange(0, BN)) % N
    offsets_k = tl.arange(0, BK)
    pa = a + offsets_m[:, None] * sam + offsets_k[None, :] * sak
    pb = b + offsets_k[:, None] * sbk + offsets_n[None, :] * sbn
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        x = tl.load(pa, mask=offsets_k[None, :] < K - k * BK, other=0.0)
        y = tl.load(pb, mask=offsets_k[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(x, y, acc)
        pa += BK * sak
        pb += BK * sbk
    rows_c = pm * BM + tl.arange(0, BM)
    columns_c = pn * BN + tl.arange(0, BN)
    mask = (rows_c[:, None] < M) & (columns_c[None, :] < N)
    tl.store(c + rows_c[:, None] * scm + columns_c[None, :] * scn, acc.to(c.dtype.element_ty), mask=mask)


def triton_matmul(a, b, c):
    (m, k), n = a.shape, b.shape[1]
    grid = lambda meta: (triton.cdiv(m, meta["BM"]) * triton.cdiv(n, meta["BN"]),)  # noqa: E731
    matmul_pointers[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride())


def triton_matmul_t03(a, b, c):
    """With the tile of our tutorial 03 as written, its warps, and the two stages of its loop."""
    (m, k), n = a.shape, b.shape[1]
    grid = (triton.cdiv(m, 64) * triton.cdiv(n, 64),)
    matmul_pointers.fn[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(), BM=64, BN=64, BK=32, G=1, num_stages=2, num_warps=8)


def _set_blocks(arguments):
    arguments["ad"].block_shape = [arguments["BM"], arguments["BK"]]
    arguments["bd"].block_shape = [arguments["BK"], arguments["BN"]]
    arguments["cd"].block_shape = [arguments["BM"], arguments["BN"]]


DESCRIPTOR_SHAPES = [(128, 256, 64, 3, 8), (128, 128, 64, 4, 8), (128, 128, 64, 3, 4), (256, 128, 64, 3, 8), (128, 256, 64, 4, 8)]


@triton.autotune(configs=_configs(DESCRIPTOR_SHAPES, _set_blocks), key=["M", "N", "K"])
@triton.jit
def matmul_descriptors(ad, bd, cd, M, N, K, SMS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, G: tl.constexpr):
    blocks_m = tl.cdiv(M, BM)
    blocks_n = tl.cdiv(N, BN)
    blocks_k = tl.cdiv(K, BK)
    in_group = G * blocks_n
    for t in tl.range(tl.program_id(0), blocks_m * blocks_n, SMS, flatten=True):
        first = t // in_group * G
        rows = min(blocks_m - first, G)
        pm = first + t % rows
        pn = t % in_group // rows
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(blocks_k):
            acc = tl.dot(ad.load([pm * BM, k * BK]), bd.load([k * BK, pn * BN]), acc)
        cd.store([pm * BM, pn * BN], acc.to(tl.float16))


def triton_matmul_persistent(a, b, c):
    (m, k), n = a.shape, b.shape[1]
    sms = torch.cuda.get_device_properties(0).multi_processor_count
    descriptors = [TensorDescriptor.from_tensor(x, [1, 1]) for x in (a, b, c)]
    grid = lambda meta: (min(sms, triton.cdiv(m, meta["BM"]) * triton.cdiv(n, meta["BN"])),)  # noqa: E731
    matmul_descriptors[grid](*descriptors, m, n, k, sms)


@triton.jit
def add_kernel(x, y, o, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(o + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


def triton_add(x, y, o):
    n = x.numel()
    add_kernel[(triton.cdiv(n, 1024),)](x, y, o, n, 1024)
