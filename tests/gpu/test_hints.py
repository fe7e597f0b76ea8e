"""What is said of caches changes nothing that is computed; PTX of the kernel's own."""

from __future__ import annotations

import pytest

DTYPES = {"f32": "float32", "f16": "float16", "u8": "uint8", "f64": "float64", "bf16": "bfloat16", "i32": "int32"}
HINTS = [f'cache="{each}"' for each in ("ca", "cg", "cs", "cv")] + [f'evict="{each}"' for each in ("first", "last", "normal", "unchanged")]
COPY = """
@ph.kernel
@ph.launch(64)
def copy(A: ph.tensor[ph.{dtype}][M, N], B: ph.tensor[ph.{dtype}][M, N], R: ph.tensor[ph.i32][M]):
    row = ph.ctx.block.x * 8
    ph.prefetch(A[row + 8:+8, 0:+256])
    ph.prefetch(A[row, 0:+64])
    B[row:+8, 0:+256] = ph.load(A[row:+8, 0:+256], other=1, {hint})
    B[row:+8, 256:+4] = ph.load(A[R[row:+8], 256:+4], {hint})
"""


@pytest.mark.parametrize("hint", HINTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_hints(dtype, hint, load_kernels, torch):
    for n in (260, 251):
        a = (torch.arange(20 * n, device="cuda") % 251).view(20, n).to(getattr(torch, DTYPES[dtype]))
        b, rows = torch.zeros_like(a), torch.arange(20, device="cuda").int()
        load_kernels(COPY.format(dtype=dtype, hint=hint)).copy[3](a, b, rows)
        torch.cuda.synchronize()
        assert torch.equal(b, a)


PTX = """
@ph.kernel
@ph.launch(64)
def kernel(A: ph.tensor[ph.f32][N], H: ph.tensor[ph.f16][N], X: ph.tensor[ph.i64][N], R: ph.tensor[ph.f32][N], F: ph.tensor[ph.f16][N],
           U: ph.tensor[ph.i32][N], L: ph.tensor[ph.i64][N], n: ph.i32, S: ph.tensor[ph.i32][1]):
    i = ph.ctx.block.x * 256
    a, h, x = A[i:+256], H[i:+256], X[i:+256]
    R[i:+256] = ph.ptx("cvt.rni.f32.f32 $0, $1;", a)
    F[i:+256] = ph.ptx("fma.rn.f16 $0, $1, $2, $1;", h, h)
    U[i:+256] = ph.ptx("mov.b32 $0, $1;", a, dtype=ph.i32)
    L[i:+256] = ph.ptx("{ .reg .s64 t; mul.wide.s32 t, $2, 3; add.s64 $0, t, $1; }", x, n)
    S[0] = ph.ptx("bfe.s32 $0, $1, 4, 8;", n)
"""


def test_ptx(load_kernels, torch):
    a, n = torch.randn(1000, device="cuda") * 10, -12345
    h, x = a.half(), (a * 1e12).long()
    r, f, u, numbers, s = torch.zeros_like(a), torch.zeros_like(h), torch.zeros_like(a), torch.zeros_like(x), torch.zeros(1, device="cuda").int()
    load_kernels(PTX).kernel[4](a, h, x, r, f, u.view(torch.int32), numbers, n, s)
    torch.cuda.synchronize()
    assert torch.equal(r, a.round()) and torch.equal(u, a) and torch.equal(numbers, x + 3 * n)
    assert torch.allclose(f.double(), h.double() ** 2 + h.double(), rtol=2e-3, atol=2e-3)
    assert s.item() == n >> 4 & 0xFF or s.item() == (n >> 4 & 0xFF) - 256
