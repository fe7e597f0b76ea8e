"""Tiles of indices in slices: gathers, scatters and atomic scatters against torch's indexing, with indices that are out of range, that meet, and of every
type."""

from __future__ import annotations

import pytest

DTYPES = {"f32": "float32", "f16": "float16", "i8": "int8", "f64": "float64", "bool": "bool"}
INDICES = {"i8": "int8", "u8": "uint8", "i16": "int16", "i32": "int32", "i64": "int64"}
ROWS = """
@ph.kernel
@ph.launch({threads})
def rows(A: ph.tensor[ph.{dtype}][M, N], I: ph.tensor[ph.i32][K], O: ph.tensor[ph.{dtype}][K, N], S: ph.tensor[ph.{dtype}][M, N]):
    at = ph.ctx.block.x * {height}
    i = ph.load(I[at:+{height}], other=-1)
    O[at:+{height}, 0:+{width}] = A[i, 0:+{width}]
    S[i, 0:+{width}] = O[at:+{height}, 0:+{width}]
"""


def made(torch, shape, dtype: str):
    return (torch.randn(shape, device="cuda") * 50).to(getattr(torch, DTYPES[dtype]))


def within(torch, indices, extent: int):
    """The indices, as torch takes them, where they are in range; and where they are."""
    good = (indices.long() >= 0) & (indices.long() < extent)
    return torch.where(good, indices.long(), 0), good


def taken(torch, a, indices):
    at, good = within(torch, indices, a.shape[0])
    return torch.where(good.view(-1, *[1] * (a.dim() - 1)), a[at], torch.zeros((), device="cuda", dtype=a.dtype))


@pytest.mark.parametrize("threads", [32, 256])
@pytest.mark.parametrize("height,width", [(16, 64), (4, 48), (1, 128), (64, 1)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_rows(dtype, height, width, threads, load_kernels, torch):
    """Rows are taken and put by an index; outside of the tensor nothing is, and zeros are read."""
    torch.manual_seed(0)
    m, k = 77, 40
    a, indices = made(torch, (m, width), dtype), torch.randperm(2 * m, device="cuda")[:k].int() - m // 2
    out, back = (torch.zeros(shape, device="cuda", dtype=a.dtype) for shape in ((k, width), (m, width)))
    text = ROWS.format(threads=threads, dtype=dtype, height=height, width=width)
    load_kernels(text).rows[-(-k // height)](a, indices, out, back)
    torch.cuda.synchronize()
    assert torch.equal(out, taken(torch, a, indices))
    at, good = within(torch, indices, m)
    want = torch.zeros_like(back)
    want[at[good]] = a[at[good]]
    assert torch.equal(back, want)


TAKE = """
@ph.kernel
@ph.launch(64)
def take(A: ph.tensor[ph.f32][M, N], I: ph.tensor[ph.{index}][K], O: ph.tensor[ph.f32][K, N]):
    at = ph.ctx.block.x * 16
    O[at:+16, 0:+32] = A[I[at:+16], 0:+32]
"""


@pytest.mark.parametrize("index", INDICES)
def test_indices_of_every_type(index, load_kernels, torch):
    a, k = made(torch, (300, 32), "f32"), 64
    limits = torch.iinfo(getattr(torch, INDICES[index]))
    indices = torch.randint(max(limits.min, -(2**40)), min(limits.max, 2**40), (k,)).to(getattr(torch, INDICES[index])).cuda()
    indices[:8] = torch.arange(8)
    indices[8], indices[9] = limits.max, limits.min
    if index == "i64":
        indices[10], indices[11] = 2**32 + 3, -(2**32) + 3  # an index of 32 bits would be 3
    out = torch.full((k, 32), 7.0, device="cuda")
    load_kernels(TAKE.format(index=index)).take[4](a, indices, out)
    torch.cuda.synchronize()
    assert torch.equal(out, taken(torch, a, indices))


PICKS = """
@ph.kernel
@ph.launch(64)
def picks(A: ph.tensor[ph.f32][L, M, N], I: ph.tensor[ph.i32][K], J: ph.tensor[ph.i32][K], P: ph.tensor[ph.f32][K],
          Q: ph.tensor[ph.f32][K, K], R: ph.tensor[ph.f32][K, 8], S: ph.tensor[ph.f32][8, K], T: ph.tensor[ph.f32][2, 4, K],
          V: ph.tensor[ph.f32][K]):
    i, j = I[0:+32], J[0:+32]
    P[0:+32] = A[1, i, j]
    Q[0:+32, 0:+32] = A[1, i[:, None], j]
    R[0:+32, :] = A[i, 2, 0:+8]
    S[:, 0:+32] = A[0, 0:+8, j]
    T[:, :, 0:+32] = A[1:+2, 0:+4, j]
    V[0:+32] = ph.load(A[0, i, 3], other=-1.5)
"""


def test_axes(load_kernels, torch):
    """Elements by two indices side by side, by all pairs of two, and an index before, between and behind spans and points."""
    torch.manual_seed(1)
    a = torch.randn(3, 40, 50, device="cuda")
    i, j = (torch.randint(-3, n + 3, (32,), device="cuda").int() for n in (40, 50))
    shapes = [(32,), (32, 32), (32, 8), (8, 32), (2, 4, 32), (32,)]
    p, q, r, s, t, v = (torch.full(shape, 9.0, device="cuda") for shape in shapes)
    load_kernels(PICKS).picks[1](a, i, j, p, q, r, s, t, v)
    torch.cuda.synchronize()
    (ai, oki), (aj, okj) = within(torch, i, 40), within(torch, j, 50)
    zero = torch.zeros((), device="cuda")
    assert torch.equal(p, torch.where(oki & okj, a[1, ai, aj], zero))
    assert torch.equal(q, torch.where(oki[:, None] & okj, a[1][ai[:, None], aj], zero))
    (al, okl) = within(torch, i, 3)
    assert torch.equal(r, torch.where(okl[:, None], a[al, 2, :8], zero))
    assert torch.equal(s, torch.where(okj, a[0, :8][:, aj], zero))
    assert torch.equal(t, torch.where(okj, a[1:3, :4][:, :, aj], zero))
    assert torch.equal(v, torch.where(oki, a[0, ai, 3], zero - 1.5))


def test_a_table(load_kernels, torch):
    """An index of two axes: each 4-bit code becomes a number of a table."""
    text = """
@ph.kernel
@ph.launch(128)
def decode(C: ph.tensor[ph.u8][M, N], T: ph.tensor[ph.f16][16], O: ph.tensor[ph.f16][M, N]):
    row = ph.ctx.block.x * 16
    O[row:+16, 0:+64] = T[C[row:+16, 0:+64] & 15]
"""
    codes = torch.randint(0, 256, (50, 64), device="cuda", dtype=torch.uint8)
    table, out = torch.randn(16, device="cuda").half(), torch.zeros(50, 64, device="cuda", dtype=torch.float16)
    load_kernels(text).decode[4](codes, table, out)
    torch.cuda.synchronize()
    assert torch.equal(out, table[(codes & 15).long()])


ATOMIC = """
@ph.kernel
@ph.launch(128)
def histogram(I: ph.tensor[ph.u8][K], H: ph.tensor[ph.i32][N]):
    at = ph.ctx.block.x * 512
    ph.atomic_add(H[I[at:+512]], ph.i32(at + ph.iota(512) < K))


@ph.kernel
@ph.launch(128)
def gradient(DY: ph.tensor[ph.f32][K, N], I: ph.tensor[ph.i32][K], DW: ph.tensor[ph.f32][M, N]):
    at = ph.ctx.block.x * 8
    ph.atomic_add(DW[I[at:+8], 0:+64], DY[at:+8, 0:+64])


@ph.kernel
@ph.launch(64)
def tickets(I: ph.tensor[ph.i32][K], C: ph.tensor[ph.i32][N], O: ph.tensor[ph.i32][K]):
    O[0:+256] = ph.atomic_add(C[I[0:+256]], 1)
"""


def test_atomics(load_kernels, torch):
    """Indices that meet are all counted."""
    torch.manual_seed(2)
    kernels = load_kernels(ATOMIC)
    values, bins = torch.randint(0, 200, (5000,), device="cuda", dtype=torch.uint8), torch.zeros(190, device="cuda", dtype=torch.int32)
    kernels.histogram[10](values, bins)
    torch.cuda.synchronize()
    assert torch.equal(bins.long(), torch.bincount(values.long(), minlength=256)[:190])

    dy, i = torch.randint(-8, 8, (100, 64), device="cuda").float(), torch.randint(-2, 12, (100,), device="cuda").int()
    dw, want = torch.zeros(10, 64, device="cuda"), torch.zeros(10, 64, device="cuda")
    kernels.gradient[13](dy, i, dw)
    torch.cuda.synchronize()
    at, good = within(torch, i, 10)
    want.index_add_(0, at[good], dy[good])
    assert torch.equal(dw, want)

    i = torch.randint(0, 5, (256,), device="cuda").int()
    counts, drawn = torch.zeros(5, device="cuda", dtype=torch.int32), torch.full((256,), -1, device="cuda", dtype=torch.int32)
    kernels.tickets[1](i, counts, drawn)
    torch.cuda.synchronize()
    for each in range(5):
        assert sorted(drawn[i == each].tolist()) == list(range(int((i == each).sum())))


ORDER = """
@ph.kernel
@ph.launch(256)
def permute(A: ph.tensor[ph.f32][N], P: ph.tensor[ph.i32][N], W: ph.tensor[ph.f32][N], turns: ph.i32):
    W[0:+1024] = A[0:+1024]
    for _ in range(turns):
        W[0:+1024] = W[P[0:+1024]] + 1.0


@ph.kernel
@ph.launch(64)
def invert(P: ph.tensor[ph.i32][N], Q: ph.tensor[ph.i32][N], O: ph.tensor[ph.i32][N]):
    Q[P[0:+1024]] = ph.iota(1024)
    O[0:+1024] = Q[P[0:+1024]]
    Q[P[0:+1024]] += 1
"""


def test_what_was_stored_is_gathered(load_kernels, torch):
    """A gather of what other threads have just stored waits for them; so does a store to what others are gathering."""
    torch.manual_seed(3)
    kernels = load_kernels(ORDER)
    a, p = torch.randn(1024, device="cuda"), torch.randperm(1024, device="cuda").int()
    w, want = torch.zeros_like(a), a.clone()
    kernels.permute[1](a, p, w, 5)
    torch.cuda.synchronize()
    for _ in range(5):
        want = want[p.long()] + 1.0
    assert torch.equal(w, want)
    q, o = torch.zeros_like(p), torch.zeros_like(p)
    kernels.invert[1](p, q, o)
    torch.cuda.synchronize()
    assert torch.equal(q - 1, torch.argsort(p).int()) and o.tolist() == list(range(1024))


PAGED = """
@ph.kernel
@ph.launch(128)
@ph.tensorcore
def product(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][P, N], I: ph.tensor[ph.i32][K], C: ph.tensor[ph.f32][M, N]):
    row: ph.let = ph.ctx.block.x * 64
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0.0
    for k in range(0, K, 32):
        acc += ph.dot(A[row:+64, k:+32], B[I[k:+32], 0:+64])
    C[row:+64, 0:+64] = acc
"""


def test_an_operand_of_gathered_rows(load_kernels, torch):
    torch.manual_seed(4)
    a, b = (torch.randn(shape, device="cuda").half() for shape in ((64, 128), (500, 64)))
    i, c = torch.randint(0, 500, (128,), device="cuda").int(), torch.zeros(64, 64, device="cuda")
    load_kernels(PAGED).product[1](a, b, i, c)
    torch.cuda.synchronize()
    assert torch.allclose(c.double(), a.double() @ b.double()[i.long()], rtol=1e-3, atol=1e-3)
