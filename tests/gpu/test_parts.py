"""Parts of tiles taken and replaced, bit for bit against torch's slices: at constant and at run-time places, also outside, of every dtype."""

from __future__ import annotations

import pytest
from gpu.test_joins import DTYPES
from gpu.test_tiles import listed, whole

CASES = [  # shape, and for each dimension where the part begins and its extent
    ((64,), [(32, 32)]),
    ((64,), [(5, 7)]),
    ((32, 64), [(0, 32), (0, 32)]),
    ((32, 64), [(16, 16), (32, 32)]),
    ((32, 64), [(8, 4), (1, 62)]),
    ((48, 96), [(24, 12), (48, 48)]),
    ((4, 8, 16), [(2, 2), (0, 8), (4, 4)]),
    ((128, 2), [(0, 128), (1, 1)]),
    ((1, 100), [(0, 1), (99, 1)]),
]
KERNEL = """
@ph.kernel
@ph.launch({threads})
def kernel(A: ph.tensor[ph.{dtype}][{shape}], P: ph.tensor[ph.{dtype}][{piece}], Q: ph.tensor[ph.{dtype}][{piece}],
           B: ph.tensor[ph.{dtype}][{shape}], C: ph.tensor[ph.{dtype}][{shape}], {starts}):
    a: ph.let = A[{all}]
    P[{all}] = a[{constant}]
    Q[{all}] = a[{running}]
    b: ph.var = a
    b[{constant}] = P[{all}]
    b[{constant}] = Q[{all}]
    B[{all}] = b
    c: ph.var = ph.full([{shape}], 1, ph.{dtype})
    c[{running}] = P[{all}]
    C[{all}] = c
"""


def bits(torch, t):
    return t.contiguous().view({1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[t.element_size()])


def compile_case(load_kernels, shape, parts, dtype, threads):
    rank = range(len(shape))
    return load_kernels(
        KERNEL.format(
            threads=threads, dtype=dtype, shape=listed(shape), piece=listed([n for _, n in parts]), all=whole(shape),
            constant=", ".join(f"{i}:+{n}" for i, n in parts), running=", ".join(f"s{d}:+{parts[d][1]}" for d in rank),
            starts=", ".join(f"s{d}: ph.i32" for d in rank),
        )
    ).kernel  # fmt: skip


@pytest.mark.parametrize("threads", [32, 128])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape,parts", CASES, ids=str)
def test_parts(shape, parts, dtype, threads, load_kernels, torch):
    torch.manual_seed(0)
    a = (torch.randn(shape, device="cuda") * 50).to(getattr(torch, DTYPES[dtype]))
    piece = [n for _, n in parts]
    kernel = compile_case(load_kernels, shape, parts, dtype, threads)
    for away in (0, 3, -4, 1 << 30, -(1 << 31)):
        starts = [max(min(begin + away, 2**31 - 1), -(2**31)) for begin, _ in parts]
        p, q, b, c = (torch.zeros(s, device="cuda", dtype=a.dtype) for s in (piece, piece, shape, shape))
        kernel[1](a, p, q, b, c, *starts)
        torch.cuda.synchronize()
        at = tuple(slice(begin, begin + n) for begin, n in parts)
        # Where a part that begins anywhere lies in the tile, and where the tile lies in it.
        inside = tuple(slice(max(s, 0), max(min(s + n, extent), 0)) for s, n, extent in zip(starts, piece, shape))
        taken = tuple(slice(max(-s, 0), max(min(n, extent - s), 0)) for s, n, extent in zip(starts, piece, shape))
        want = torch.zeros_like(q)
        want[taken] = a[inside]
        assert torch.equal(bits(torch, p), bits(torch, a[at])) and torch.equal(bits(torch, q), bits(torch, want))
        replaced = a.clone()
        replaced[at] = want
        assert torch.equal(bits(torch, b), bits(torch, replaced))
        ones = torch.ones_like(a)
        ones[inside] = p[taken]
        assert torch.equal(bits(torch, c), bits(torch, ones))


ROPE = """
@ph.kernel
@ph.launch(128)
def rope(X: ph.tensor[ph.f32][M, 64], ANGLE: ph.tensor[ph.f32][M, 32], Y: ph.tensor[ph.f32][M, 64]):
    row = ph.ctx.block.x * 16
    x = X[row:+16, :]
    a = ANGLE[row:+16, :]
    left, right = x[:, :32], x[:, 32:]
    y: ph.var = x
    y[:, 0:32] = left * ph.cos(a) - right * ph.sin(a)
    y[:, 32:64] = right * ph.cos(a) + left * ph.sin(a)
    Y[row:+16, :] = y


@ph.kernel
@ph.launch(64)
def points(X: ph.tensor[ph.i32][8, 16], Y: ph.tensor[ph.i32][8, 16], Z: ph.tensor[ph.i32][16], S: ph.tensor[ph.i32][4], n: ph.i32):
    x = X[:, :]
    Z[:] = x[n]
    S[0] = x[2, 3]
    S[1] = x[n, n + 1]
    S[2] = ph.sum(x[..., 5])
    S[3] = x[7][15]
    y: ph.var = x
    for i in range(8):
        y[i, 0] = 100 + i
        y[i, 1:3] += 1000
    y[n] = 7
    Y[:, :] = y


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def halves(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f32][M, 32]):
    row: ph.let = ph.ctx.block.x * 64
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0.0
    for k in range(0, K, 32):
        acc += ph.dot(A[row:+64, k:+32], B[k:+32, 0:+64])
    C[row:+64, :] = acc[:, :32] * acc[:, 32:]
"""


def test_halves_points_and_loops(load_kernels, torch):
    torch.manual_seed(1)
    kernels = load_kernels(ROPE)
    x, angle = torch.randn(40, 64, device="cuda"), torch.randn(40, 32, device="cuda")
    y = torch.zeros_like(x)
    kernels.rope[3](x, angle, y)
    left, right = x.double()[:, :32], x.double()[:, 32:]
    want = torch.cat([left * angle.double().cos() - right * angle.double().sin(), right * angle.double().cos() + left * angle.double().sin()], 1)
    torch.cuda.synchronize()
    assert torch.allclose(y.double(), want, rtol=1e-5, atol=1e-5)

    x = torch.arange(128, device="cuda").view(8, 16).int()
    y, z, s = torch.zeros_like(x), torch.zeros(16, device="cuda", dtype=torch.int32), torch.zeros(4, device="cuda", dtype=torch.int32)
    kernels.points[1](x, y, z, s, 5)
    torch.cuda.synchronize()
    assert torch.equal(z, x[5]) and s.tolist() == [35, 86, int(x[:, 5].sum()), 127]
    want = x.clone()
    want[:, 0] = torch.arange(100, 108)
    want[:, 1:3] += 1000
    want[5] = 7
    assert torch.equal(y, want)

    a, b, c = torch.randn(64, 96, device="cuda").half(), torch.randn(96, 64, device="cuda").half(), torch.zeros(64, 32, device="cuda")
    kernels.halves[1](a, b, c)
    torch.cuda.synchronize()
    product = a.double() @ b.double()
    assert torch.allclose(c.double(), product[:, :32] * product[:, 32:], rtol=1e-2, atol=1e-1)
