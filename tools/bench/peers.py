"""What we are measured against, beside cuBLAS and PyTorch: Triton kernels of the algorithms of its tutorials 01 to 06 and 09.

Layer norm's gradients are summed in groups of rows, as ours are, instead of under its tutorial's locks."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from triton.runtime.errors import OutOfResources  # noqa: F401 - of those who call these
from triton.tools.tensor_descriptor import TensorDescriptor


def _configs(shapes, hook=None):
    return [triton.Config(dict(BM=m, BN=n, BK=k, G=8), num_stages=stages, num_warps=warps, pre_hook=hook) for m, n, k, stages, warps in shapes]


POINTER_SHAPES = [
    (128, 256, 64, 3, 8), (128, 128, 64, 4, 4), (128, 128, 64, 4, 8), (64, 256, 64, 4, 4),
    (256, 128, 64, 3, 8), (64, 128, 64, 4, 4), (64, 64, 64, 4, 4), (64, 64, 32, 5, 4),
]  # fmt: skip


@triton.autotune(configs=_configs(POINTER_SHAPES), key=["M", "N", "K"])
@triton.jit
def matmul_pointers(
    a, b, c, M, N, K, sab, sam, sak, sbb, sbk, sbn, scb, scm, scn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, G: tl.constexpr
):
    pid = tl.program_id(0)
    batch = tl.program_id(1)
    a += batch * sab
    b += batch * sbb
    c += batch * scb
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


def _batches(*matrices):
    return [x if x.ndim == 3 else x.unsqueeze(0) for x in matrices]


def triton_matmul(a, b, c):
    """One product, or one for each index of a first axis."""
    a, b, c = _batches(a, b, c)
    (batch, m, k), n = a.shape, b.shape[2]
    grid = lambda meta: (triton.cdiv(m, meta["BM"]) * triton.cdiv(n, meta["BN"]), batch)  # noqa: E731
    matmul_pointers[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride())


def triton_matmul_t03(a, b, c):
    """With the tile of our tutorial 03 as written, its warps, and the two stages of its loop."""
    a, b, c = _batches(a, b, c)
    (_, m, k), n = a.shape, b.shape[2]
    grid = (triton.cdiv(m, 64) * triton.cdiv(n, 64),)
    matmul_pointers.fn[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(), BM=64, BN=64, BK=32, G=1, num_stages=2, num_warps=8)


def _set_blocks(arguments):
    one = [1] * (len(arguments["ad"].shape) - 2)
    arguments["ad"].block_shape = [*one, arguments["BM"], arguments["BK"]]
    arguments["bd"].block_shape = [*one, arguments["BK"], arguments["BN"]]
    arguments["cd"].block_shape = [*one, arguments["BM"], arguments["BN"]]


DESCRIPTOR_SHAPES = [(128, 256, 64, 3, 8), (128, 128, 64, 4, 8), (128, 128, 64, 3, 4), (256, 128, 64, 3, 8), (128, 256, 64, 4, 8)]


# BATCH: None of matrices, the extent of the first axis of batches.
@triton.autotune(configs=_configs(DESCRIPTOR_SHAPES, _set_blocks), key=["M", "N", "K", "BATCH"])
@triton.jit
def matmul_descriptors(
    ad, bd, cd, M, N, K, BATCH: tl.constexpr, SMS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, G: tl.constexpr
):
    blocks_m = tl.cdiv(M, BM)
    blocks_n = tl.cdiv(N, BN)
    blocks_k = tl.cdiv(K, BK)
    in_group = G * blocks_n
    blocks = blocks_m * blocks_n
    for tile in tl.range(tl.program_id(0), blocks if BATCH is None else blocks * BATCH, SMS, flatten=True):
        t = tile if BATCH is None else tile % blocks
        first = t // in_group * G
        rows = min(blocks_m - first, G)
        pm = first + t % rows
        pn = t % in_group // rows
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(blocks_k):
            if BATCH is None:
                acc = tl.dot(ad.load([pm * BM, k * BK]), bd.load([k * BK, pn * BN]), acc)
            else:
                x = ad.load([tile // blocks, pm * BM, k * BK]).reshape(BM, BK)
                acc = tl.dot(x, bd.load([tile // blocks, k * BK, pn * BN]).reshape(BK, BN), acc)
        if BATCH is None:
            cd.store([pm * BM, pn * BN], acc.to(cd.dtype))
        else:
            cd.store([tile // blocks, pm * BM, pn * BN], acc.to(cd.dtype).reshape(1, BM, BN))


def triton_matmul_persistent(a, b, c):
    batch = a.shape[0] if a.ndim == 3 else None
    (m, k), n = a.shape[-2:], b.shape[-1]
    sms = torch.cuda.get_device_properties(0).multi_processor_count
    descriptors = [TensorDescriptor.from_tensor(x, [1] * x.ndim) for x in (a, b, c)]
    grid = lambda meta: (min(sms, (batch or 1) * triton.cdiv(m, meta["BM"]) * triton.cdiv(n, meta["BN"])),)  # noqa: E731
    matmul_descriptors[grid](*descriptors, m, n, k, batch, sms)


@triton.jit
def add_kernel(x, y, o, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(o + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


def triton_add(x, y, o):
    n = x.numel()
    add_kernel[(triton.cdiv(n, 1024),)](x, y, o, n, 1024)


WARPS = [triton.Config({}, num_warps=warps) for warps in (4, 8, 16, 32)]
MULTIPROCESSORS = torch.cuda.get_device_properties(0).multi_processor_count if torch.cuda.is_available() else 1
ALL_ROWS = 1 << 20


# A program walks several rows, the next one's loads under this one's work, or has one row.
@triton.autotune(configs=[triton.Config(dict(PER_SM=k), num_warps=warps) for k in (1, 2, 4, 8, ALL_ROWS) for warps in (4, 8, 16, 32)], key=["n"])
@triton.jit
def softmax_kernel(x, y, m, n, BLOCK: tl.constexpr, PER_SM: tl.constexpr):
    c = tl.arange(0, BLOCK)
    mask = c < n
    for row in tl.range(tl.program_id(0), m, tl.num_programs(0), num_stages=2):
        v = tl.load(x + row * n + c, mask=mask, other=-float("inf")).to(tl.float32)
        e = tl.exp(v - tl.max(v, axis=0))
        tl.store(y + row * n + c, (e / tl.sum(e, axis=0)).to(y.dtype.element_ty), mask=mask)


def triton_softmax(x, y):
    m, n = x.shape
    grid = lambda meta: (min(m, MULTIPROCESSORS * meta["PER_SM"]),)  # noqa: E731
    softmax_kernel[grid](x, y, m, n, BLOCK=triton.next_power_of_2(n))


@triton.autotune(configs=WARPS, key=["n"])
@triton.jit
def layer_norm_kernel(x, w, b, y, mean, rstd, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    mask = c < n
    v = tl.load(x + row * n + c, mask=mask, other=0.0).to(tl.float32)
    middle = tl.sum(v, axis=0) / n
    d = tl.where(mask, v - middle, 0.0)
    r = 1 / tl.sqrt(tl.sum(d * d, axis=0) / n + eps)
    tl.store(mean + row, middle)
    tl.store(rstd + row, r)
    weight = tl.load(w + c, mask=mask, other=0.0).to(tl.float32)
    bias = tl.load(b + c, mask=mask, other=0.0).to(tl.float32)
    tl.store(y + row * n + c, (d * r * weight + bias).to(y.dtype.element_ty), mask=mask)


def triton_layer_norm(x, w, b, y, mean, rstd, eps):
    m, n = x.shape
    layer_norm_kernel[(m,)](x, w, b, y, mean, rstd, n, eps, BLOCK=triton.next_power_of_2(n))


@triton.autotune(configs=WARPS, key=["n"])
@triton.jit
def rms_norm_kernel(x, w, y, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    mask = c < n
    v = tl.load(x + row * n + c, mask=mask, other=0.0).to(tl.float32)
    r = 1 / tl.sqrt(tl.sum(v * v, axis=0) / n + eps)
    weight = tl.load(w + c, mask=mask, other=0.0).to(tl.float32)
    tl.store(y + row * n + c, (v * r * weight).to(y.dtype.element_ty), mask=mask)


def triton_rms_norm(x, w, y, eps):
    m, n = x.shape
    rms_norm_kernel[(m,)](x, w, y, n, eps, BLOCK=triton.next_power_of_2(n))


@triton.autotune(configs=WARPS, key=["n", "depth"])
@triton.jit
def layer_norm_gradients_kernel(x, w, dy, mean, rstd, dx, dw_parts, db_parts, m, n, depth, BLOCK: tl.constexpr):
    group = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    mask = c < n
    weight = tl.load(w + c, mask=mask, other=0.0).to(tl.float32)
    dw = tl.zeros((BLOCK,), tl.float32)
    db = tl.zeros((BLOCK,), tl.float32)
    for row in range(group * depth, tl.minimum(group * depth + depth, m)):
        v = tl.load(x + row * n + c, mask=mask, other=0.0).to(tl.float32)
        d = tl.load(dy + row * n + c, mask=mask, other=0.0).to(tl.float32)
        r = tl.load(rstd + row)
        normal = tl.where(mask, (v - tl.load(mean + row)) * r, 0.0)
        g = d * weight
        change = (g - tl.sum(g, axis=0) / n - normal * (tl.sum(g * normal, axis=0) / n)) * r
        tl.store(dx + row * n + c, change.to(dx.dtype.element_ty), mask=mask)
        dw += d * normal
        db += d
    tl.store(dw_parts + group * n + c, dw, mask=mask)
    tl.store(db_parts + group * n + c, db, mask=mask)


@triton.jit
def add_up_kernel(parts, sums, groups, n, TURN: tl.constexpr, WIDTH: tl.constexpr):
    which = tl.program_id(1)
    c = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    total = tl.zeros((TURN, WIDTH), tl.float32)
    for start in range(0, groups, TURN):
        g = start + tl.arange(0, TURN)
        places = (which * groups + g[:, None]) * n + c[None, :]
        total += tl.load(parts + places, mask=(g[:, None] < groups) & (c[None, :] < n), other=0.0)
    tl.store(sums + which * n + c, tl.sum(total, axis=0).to(sums.dtype.element_ty), mask=c < n)


class TritonLayerNormGradients:
    """dx, and dweight and dbias as the rows of `sums`, with as many groups of rows as are fastest."""

    def __init__(self, x, w, dy, mean, rstd, dx, sums):
        self.given = (x, w, dy, mean, rstd, dx)
        self.sums = sums
        times = {}
        for per_sm in (1, 2, 4, 8):
            self._allocate(MULTIPROCESSORS * per_sm)
            self()
            times[per_sm] = triton.testing.do_bench(self)
        self._allocate(MULTIPROCESSORS * min(times, key=times.get))

    def _allocate(self, groups: int) -> None:
        self.parts = torch.empty((2, groups, self.sums.shape[1]), device=self.sums.device, dtype=torch.float32)

    def __call__(self):
        m, n = self.given[0].shape
        groups = self.parts.shape[1]
        depth = triton.cdiv(m, groups)
        layer_norm_gradients_kernel[(groups,)](*self.given, *self.parts, m, n, depth, BLOCK=triton.next_power_of_2(n))
        add_up_kernel[(triton.cdiv(n, 64), 2)](self.parts, self.sums, groups, n, TURN=32, WIDTH=64)


@triton.autotune(configs=[triton.Config(dict(BLOCK=block), num_warps=warps) for block in (1024, 2048, 4096) for warps in (4, 8)], key=["n"])
@triton.jit
def dropout_kernel(x, y, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    v = tl.load(x + i, mask=mask)
    tl.store(y + i, tl.where(tl.rand(seed, i) > p, v / (1 - p), 0.0), mask=mask)


def triton_dropout(x, y, p, seed):
    n = x.numel()
    dropout_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, n, p, seed)


@triton.jit
def _attention_turns(
    q, kd, vd, batch, group, m, total, acc, begin, end, N, rows, by, D: tl.constexpr, BN: tl.constexpr, MASKED: tl.constexpr, CAUSAL: tl.constexpr
):
    for n in tl.range(begin, end, BN):
        s = tl.dot(q, kd.load([batch, group, n, 0]).reshape(BN, D).T)
        if MASKED:
            columns = n + tl.arange(0, BN)[None, :]
            seen = columns < N
            if CAUSAL:
                seen = seen & (columns <= rows[:, None])
            s = tl.where(seen, s, -float("inf"))
        new = tl.maximum(m, tl.max(s, 1) * by)
        p = tl.math.exp2(s * by - new[:, None])
        fade = tl.math.exp2(m - new)
        total = total * fade + tl.sum(p, 1)
        acc = tl.dot(p.to(q.dtype), vd.load([batch, group, n, 0]).reshape(BN, D), acc * fade[:, None])
        m = new
    return m, total, acc


def _set_attention_blocks(arguments):
    rows, keys, d = arguments["BM"], arguments["BN"], arguments["D"]
    for name, length in (("qd", rows), ("kd", keys), ("vd", keys), ("od", rows)):
        arguments[name].block_shape = [1, 1, length, d]


ATTENTION_SHAPES = [(128, 128, 2, 8), (128, 64, 3, 8), (128, 64, 3, 4), (64, 64, 3, 4)]


@triton.autotune(
    configs=[triton.Config(dict(BM=m, BN=n), num_stages=stages, num_warps=warps, pre_hook=_set_attention_blocks) for m, n, stages, warps in ATTENTION_SHAPES],
    key=["M", "N", "D", "CAUSAL"],
)
@triton.jit
def attention_kernel(
    qd, kd, vd, od, sums, M, N, GROUP, by, H, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr
):
    """Keys that no mask takes first, then the others, as its tutorial has it."""
    row = (tl.num_programs(0) - 1 - tl.program_id(0)) * BM
    head = tl.program_id(1)
    batch = tl.program_id(2)
    rows = row + tl.arange(0, BM)
    q = qd.load([batch, head, row, 0]).reshape(BM, D)
    m = tl.full([BM], -float("inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    end = min(row + BM, N) if CAUSAL else N
    whole = (min(row, N) if CAUSAL else N) // BN * BN
    m, total, acc = _attention_turns(q, kd, vd, batch, head // GROUP, m, total, acc, 0, whole, N, rows, by, D, BN, False, CAUSAL)
    m, total, acc = _attention_turns(q, kd, vd, batch, head // GROUP, m, total, acc, whole, end, N, rows, by, D, BN, True, CAUSAL)
    od.store([batch, head, row, 0], (acc / total[:, None]).to(od.dtype).reshape(1, 1, BM, D))
    tl.store(sums + (batch * H + head) * M + rows, (m + tl.math.log2(total)) * 0.6931471805599453, mask=rows < M)


def triton_attention(q, k, v, o, sums, scale: float, causal: bool):
    (batch, heads, m, d), groups, n = q.shape, k.shape[1], k.shape[2]
    descriptors = [TensorDescriptor.from_tensor(x, [1, 1, 1, d]) for x in (q, k, v, o)]
    grid = lambda meta: (triton.cdiv(m, meta["BM"]), heads, batch)  # noqa: E731
    attention_kernel[grid](*descriptors, sums, m, n, heads // groups, scale * 1.4426950408889634, heads, d, CAUSAL=causal)
