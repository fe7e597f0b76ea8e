"""Numbers in few bits: made, packed, unpacked, and multiplied."""

from __future__ import annotations

import phobos.lang as ph
from gpu.corpus.cases import case, cdiv, exact

TILE = 32
LIMITS = 0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0  # between the magnitudes of 4 bits


def f8e4m3(torch, codes):
    """The values of bytes as 8-bit floats with four bits of exponent."""
    codes = codes.cpu().long()
    sign, exponent, mantissa = 1 - 2 * (codes >> 7).double(), (codes >> 3) & 15, (codes & 7).double()
    normal = (1 + mantissa / 8) * 2.0 ** (exponent - 7).double()
    return sign * torch.where(exponent == 0, mantissa / 8 * 2.0**-6, normal)


@ph.kernel
@ph.launch(128)
def quantise_rows(x: ph.tensor[ph.f16][M, N], q: ph.tensor[ph.i8][M, N], scales: ph.tensor[ph.f32][M]):
    """Each row to 8 bits by its greatest element. After SGLang's per_token_quant_int8."""
    row: ph.let = ph.ctx.block.x
    most: ph.var = 0.0
    for j in range(0, N, 128):
        most = ph.max(most, ph.max(ph.abs(ph.f32(x[row, j:+128]))))
    scale: ph.let = ph.max(most, 1e-10) / 127
    scales[row] = scale
    for j in range(0, N, 128):
        q[row, j:+128] = ph.i8(ph.round(ph.f32(x[row, j:+128]) / scale))


@case(quantise_rows, (4, 256), (3, 300))
def check_quantise_rows(given, m, n):
    x, q, scales = given.normal(m, n, dtype="f16"), given.out(m, n, dtype="i8"), given.out(m)
    x[2] *= 0.01
    x[0, 0], x[1, n - 1] = 9, -9
    quantise_rows[m](x, q, scales)
    want = exact(x).abs().amax(1) / 127
    return [(scales, want, 1e-6), (q, (x.float() / scales[:, None]).round().to(given.torch.int8), 0)]


@ph.kernel
@ph.launch(128)
def quantise_blocks_f8(x: ph.tensor[ph.bf16][M, N], q: ph.tensor[ph.u8][M, N], scales: ph.tensor[ph.f32][M, B]):
    """Each 128 elements of a row to 8-bit floats, their bits stored. After DeepSeek-V3's act_quant and tilelang's per_token_cast_to_fp8."""
    i: ph.let = ph.ctx.block.y * 4
    b: ph.let = ph.ctx.block.x
    t = ph.f32(x[i:+4, b * 128 : +128])
    scale = ph.std.absmax_scale(t, 448.0)
    scales[i:+4, b:+1] = scale
    q[i:+4, b * 128 : +128] = ph.bitcast(ph.std.quantise_f8(t, scale), ph.u8)


@case(quantise_blocks_f8, (8, 256), (5, 300))
def check_quantise_blocks_f8(given, m, n):
    torch, blocks = given.torch, cdiv(n, 128)
    x, q, scales = given.normal(m, n, dtype="bf16"), given.out(m, n, dtype="u8"), given.out(m, blocks)
    quantise_blocks_f8[blocks, cdiv(m, 4)](x, q, scales)
    wanted = torch.stack([part.abs().amax(1) for part in exact(x).split(128, 1)], 1) / 448
    back = f8e4m3(torch, q) * exact(scales).repeat_interleave(128, 1)[:, :n]
    # Half a step of three bits of mantissa, or of the smallest exponent.
    error = (back - exact(x)).abs() / (exact(x).abs() / 16 + wanted.repeat_interleave(128, 1)[:, :n] * 2.0**-10)
    return [(scales, wanted, 1e-6), (error.max() <= 1.001, torch.tensor(True), 0)]


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def matmul_f8_blocks(
    A: ph.tensor[ph.u8][M, K],
    As: ph.tensor[ph.f32][M, KB],
    B: ph.tensor[ph.u8][N, K],
    Bs: ph.tensor[ph.f32][NB, KB],
    C: ph.tensor[ph.bf16][M, N],
):
    """Products of 8-bit floats whose blocks of 32 have scales, applied to partial sums. After DeepGEMM and Helion's fp8_gemm_blockwise.py."""
    i: ph.let = ph.ctx.block.x * TILE
    j: ph.let = ph.ctx.block.y * TILE
    acc: ph.var[ph.tile[ph.f32][TILE, TILE]] = 0.0
    for b in range(KB):
        a = ph.bitcast(A[i:+TILE, b * 32 : +32], ph.f8e4m3)
        w = ph.bitcast(B[j:+TILE, b * 32 : +32], ph.f8e4m3)
        acc += ph.dot_t(a, w) * As[i:+TILE, b][:, None] * Bs[ph.ctx.block.y, b]
    C[i:+TILE, j:+TILE] = acc


@case(matmul_f8_blocks, (32, 64, 64), (45, 40, 70))
def check_matmul_f8_blocks(given, m, n, k):
    torch, kb, nb = given.torch, cdiv(k, 32), cdiv(n, TILE)
    a, b = given.integers(0, 0x78, m, k, dtype="u8"), given.integers(0, 0x78, n, k, dtype="u8")
    a, b = (x | given.integers(0, 2, *x.shape, dtype="u8") << 7 for x in (a, b))
    sa, sb, c = given.uniform(m, kb), given.uniform(nb, kb), given.out(m, n, dtype="bf16")
    matmul_f8_blocks[cdiv(m, TILE), nb](a, sa, b, sb, c)
    left = f8e4m3(torch, a) * exact(sa).repeat_interleave(32, 1)[:, :k]
    right = f8e4m3(torch, b) * exact(sb).repeat_interleave(32, 1)[:, :k].repeat_interleave(TILE, 0)[:n]
    return [(exact(c) / (left.abs() @ right.abs().t()), (left @ right.t()) / (left.abs() @ right.abs().t()), 4e-3)]


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def matmul_i8(
    A: ph.tensor[ph.i8][M, K],
    B: ph.tensor[ph.i8][N, K],
    rows: ph.tensor[ph.f32][M],
    columns: ph.tensor[ph.f32][N],
    C: ph.tensor[ph.f16][M, N],
):
    """An integer product with a scale for each row and column. After SmoothQuant's and torchao's w8a8 kernels."""
    i: ph.let = ph.ctx.block.x * TILE
    j: ph.let = ph.ctx.block.y * TILE
    acc: ph.var[ph.tile[ph.i32][TILE, TILE]] = 0
    for k in range(0, K, 64):
        acc += ph.dot_t(A[i:+TILE, k:+64], B[j:+TILE, k:+64])
    C[i:+TILE, j:+TILE] = ph.f32(acc) * rows[i:+TILE][:, None] * columns[j:+TILE][None, :]


@case(matmul_i8, (32, 64, 128), (33, 45, 100))
def check_matmul_i8(given, m, n, k):
    a, b = given.integers(-128, 128, m, k, dtype="i8"), given.integers(-128, 128, n, k, dtype="i8")
    rows, columns, c = given.uniform(m) / 1000, given.uniform(n), given.out(m, n, dtype="f16")
    matmul_i8[cdiv(m, TILE), cdiv(n, TILE)](a, b, rows, columns, c)
    return [(c, exact(a) @ exact(b).t() * exact(rows)[:, None] * exact(columns), 1e-3)]


@ph.kernel
@ph.launch(128)
def pack_i4(x: ph.tensor[ph.i8][M, N], y: ph.tensor[ph.u8][M, N2]):
    """Two numbers of four bits in a byte, the first in the low half. After torchao's and gpt-fast's int4 packing."""
    i: ph.let = ph.ctx.block.y * 8
    j: ph.let = ph.ctx.block.x * 64
    low, high = ph.split(ph.reshape(x[i:+8, 2 * j : +128], 8, 64, 2))
    y[i:+8, j:+64] = ph.bitcast((low & 15) | (high << 4), ph.u8)


@case(pack_i4, (8, 128), (11, 150))
def check_pack_i4(given, m, n):
    x, y = given.integers(-8, 8, m, n, dtype="i8"), given.out(m, n // 2, dtype="u8")
    pack_i4[cdiv(n // 2, 64), cdiv(m, 8)](x, y)
    wide = x.cpu().long()
    return [(y, ((wide[:, ::2] & 15) | (wide[:, 1::2] & 15) << 4).to(given.torch.uint8), 0)]


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def matmul_i4(
    x: ph.tensor[ph.f16][M, K],
    w: ph.tensor[ph.u8][N, K2],
    scales: ph.tensor[ph.f16][N, G],
    zeros: ph.tensor[ph.f16][N, G],
    y: ph.tensor[ph.f16][M, N],
    group: ph.i32,
):
    """A product with weights of four bits, groups of which have a scale and a zero. After AWQ's and GPTQ's Triton kernels and tilelang's dequantize_gemm."""
    i: ph.let = ph.ctx.block.x * 16
    j: ph.let = ph.ctx.block.y * TILE
    acc: ph.var[ph.tile[ph.f32][16, TILE]] = 0.0
    for k in range(0, K, TILE):
        bytes = w[j:+TILE, k // 2 : +TILE // 2]
        codes = ph.reshape(ph.join(bytes & 15, bytes >> 4), TILE, TILE)
        g = k // group
        wide = (ph.f16(codes) - zeros[j:+TILE, g][:, None]) * scales[j:+TILE, g][:, None]
        acc += ph.dot_t(x[i:+16, k:+TILE], wide)
    y[i:+16, j:+TILE] = acc


@case(matmul_i4, (16, 64, 128, 64), (21, 40, 96, 32))
def check_matmul_i4(given, m, n, k, group):
    x, w, y = (
        given.normal(m, k, dtype="f16"),
        given.integers(0, 256, n, k // 2, dtype="u8"),
        given.out(m, n, dtype="f16"),
    )
    scales, zeros = given.uniform(n, cdiv(k, group), dtype="f16"), given.integers(0, 16, n, cdiv(k, group), dtype="f16")
    matmul_i4[cdiv(m, 16), cdiv(n, TILE)](x, w, scales, zeros, y, group)
    b = w.cpu().long()
    codes = given.torch.stack([b & 15, b >> 4], -1).view(n, k).double()
    s, z = (exact(t).repeat_interleave(group, 1)[:, :k] for t in (scales, zeros))
    wide = exact(((codes - z) * s).half())
    return [(y, exact(x) @ wide.t(), 2e-3)]


@ph.kernel
@ph.launch(64)
def dequantise_nf4(
    q: ph.tensor[ph.u8][N2], scales: ph.tensor[ph.f32][B], table: ph.tensor[ph.f32][16], y: ph.tensor[ph.f16][N]
):
    """Codes of four bits through a table of sixteen values, as a product with one-hot rows. After bitsandbytes' and Unsloth's NF4."""
    b: ph.let = ph.ctx.block.x
    bytes = q[b * 32 : +32]
    codes = ph.reshape(ph.join(bytes >> 4, bytes & 15), 64)
    hot = ph.i32(codes)[:, None] == ph.iota(16)[None, :]
    y[b * 64 : +64] = ph.sum(ph.where(hot, table[:][None, :], 0.0), axis=1) * scales[b]


@case(dequantise_nf4, (256,), (300,))
def check_dequantise_nf4(given, n):
    blocks = cdiv(n, 64)
    q, scales, table = given.integers(0, 256, n // 2, dtype="u8"), given.uniform(blocks), given.normal(16).sort().values
    y = given.out(n, dtype="f16")
    dequantise_nf4[blocks](q, scales, table, y)
    b = q.cpu().long()
    values = exact(table)[given.torch.stack([b >> 4, b & 15], -1).view(-1)]
    return [(y, values * exact(scales).repeat_interleave(64)[:n], 1e-3)]


@ph.kernel
@ph.launch(64)
def matmul_ternary(x: ph.tensor[ph.i8][M, K], w: ph.tensor[ph.u8][N, K4], y: ph.tensor[ph.i32][M, N]):
    """Weights of -1, 0 and 1, four in a byte. After tilelang's bitnet-1.58b and BitNet's inference kernels."""
    i: ph.let = ph.ctx.block.x * 16
    j: ph.let = ph.ctx.block.y * 16
    acc: ph.var[ph.tile[ph.i32][16, 16]] = 0
    for k in range(0, K, 64):
        packed = w[j:+16, k // 4 : +16]
        pairs = ph.join(ph.join(packed & 3, (packed >> 4) & 3), ph.join((packed >> 2) & 3, packed >> 6))
        weights = ph.i8(ph.reshape(pairs, 16, 64)) - 1
        # A byte that is not there would be four weights of -1, but then x is 0.
        acc += ph.dot_t(x[i:+16, k:+64], weights)
    y[i:+16, j:+16] = acc


@case(matmul_ternary, (16, 16, 128), (21, 27, 100))
def check_matmul_ternary(given, m, n, k):
    x, w, y = (
        given.integers(-128, 128, m, k, dtype="i8"),
        given.integers(-1, 2, n, k, dtype="i8"),
        given.out(m, n, dtype="i32"),
    )
    codes = (w + 1).view(n, k // 4, 4).int()
    packed = (codes << given.array([0, 2, 4, 6])).sum(-1).to(given.torch.uint8)
    matmul_ternary[cdiv(m, 16), cdiv(n, 16)](x, packed, y)
    return [(y, exact(x) @ exact(w).t(), 0)]


@ph.kernel
@ph.launch(128)
def shared_exponents(x: ph.tensor[ph.f32][M, N], codes: ph.tensor[ph.u8][M, N], exponents: ph.tensor[ph.u8][M, B]):
    """Blocks of 32 with an exponent in common and four bits an element, 2 of exponent and 1 of mantissa. After triton_kernels' mxfp4 downcast."""
    i: ph.let = ph.ctx.block.y * 8
    b: ph.let = ph.ctx.block.x
    t = x[i:+8, b * 32 : +32]
    most = ph.max(ph.abs(t), axis=1, keepdims=True)
    # The greatest exponent, less that of 4: 6 is the greatest code.
    shared = ph.max(ph.i32(ph.bitcast(most, ph.u32) >> 23) - 2, 1)
    scaled = ph.abs(t) / ph.bitcast(ph.u32(shared) << 23, ph.f32)
    code: ph.var[ph.tile[ph.u8][8, 32]] = 0
    for limit in ph.unroll(7):
        code += ph.u8(scaled > LIMITS[limit])
    codes[i:+8, b * 32 : +32] = code | ph.where(t < 0, ph.u8(8), ph.u8(0))
    exponents[i:+8, b:+1] = ph.u8(shared)


@case(shared_exponents, (8, 64), (11, 75))
def check_shared_exponents(given, m, n):
    torch, blocks = given.torch, cdiv(n, 32)
    x = given.normal(m, n)
    codes, exponents = given.out(m, n, dtype="u8"), given.out(m, blocks, dtype="u8")
    shared_exponents[blocks, cdiv(m, 8)](x, codes, exponents)
    most = torch.stack([part.abs().amax(1) for part in exact(x).split(32, 1)], 1)
    shared = most.log2().floor() - 2
    scaled = exact(x) / 2 ** shared.repeat_interleave(32, 1)[:, :n]
    values = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6]).double()
    nearest = (scaled.abs()[..., None] - values).abs().argmin(-1) + 8 * (scaled < 0)
    return [(exponents, (shared + 127).to(torch.uint8), 0), (codes, nearest.to(torch.uint8), 0)]
