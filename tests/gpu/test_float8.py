"""Products of 8-bit floats, on a chip with wgmma as they are: both formats, plain and with roles, and sums promoted every few steps; beside
float64, twice for races."""

from __future__ import annotations

import pytest

SOURCE = """
@ph.kernel
@ph.launch({threads})
@ph.tensorcore{more}
@ph.pipeline(stages=3)
def product(A: ph.tensor[ph.{dtype}][M, K], B: ph.tensor[ph.{dtype}][N, K], C: ph.tensor[ph.f32][M, N]):
    row: ph.let = ph.ctx.block.x * {m}
    column: ph.let = ph.ctx.block.y * {n}
    acc: ph.var[ph.tile[ph.f32][{m}, {n}]] = 0.0
    for k in range(0, K, {k}):
        acc += ph.dot_t(A[row:+{m}, k:+{k}], B[column:+{n}, k:+{k}])
    C[row:+{m}, column:+{n}] = acc


@ph.kernel
@ph.launch({threads})
@ph.tensorcore{more}
@ph.pipeline(stages=3)
def promoted(A: ph.tensor[ph.{dtype}][M, K], B: ph.tensor[ph.{dtype}][N, K], C: ph.tensor[ph.f32][M, N]):
    row: ph.let = ph.ctx.block.x * {m}
    column: ph.let = ph.ctx.block.y * {n}
    acc: ph.var[ph.tile[ph.f32][{m}, {n}]] = 0.0
    for start in range(0, K, 2 * {k}):
        part: ph.var[ph.tile[ph.f32][{m}, {n}]] = 0.0
        for k in range(start, start + 2 * {k}, {k}):
            part += ph.dot_t(A[row:+{m}, k:+{k}], B[column:+{n}, k:+{k}])
        acc += part
    C[row:+{m}, column:+{n}] = acc
"""
VARIANTS = [(128, 64, 64, 64), (256, 128, 128, 128)]
# Tensor cores keep some 14 bits of their sums of 8-bit products.
TOLERANCE = {"product": 2e-3, "promoted": 2e-3}


@pytest.fixture(autouse=True)
def wgmma(torch):
    if torch.cuda.get_device_capability() != (9, 0):
        pytest.skip("no wgmma on this device")


def cdiv(a: int, b: int) -> int:
    return -(-a // b)


@pytest.mark.parametrize("dtype", ["f8e4m3", "f8e5m2"])
@pytest.mark.parametrize("more", ["", "\n@ph.persistent"], ids=["plain", "roles"])
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_product(variant, more, dtype, torch, load_kernels):
    threads, m, n, k = variant
    kernels = load_kernels(SOURCE.format(threads=threads, m=m, n=n, k=k, more=more, dtype=dtype))
    kind = {"f8e4m3": torch.float8_e4m3fn, "f8e5m2": torch.float8_e5m2}[dtype]
    torch.manual_seed(0)
    for rows, columns, depth in ((m, n, k), (3 * m, 2 * n, 5 * k), (m - 8, n + 8, 3 * k + 16)):
        a, b = torch.randn(rows, depth, device="cuda").to(kind), torch.randn(columns, depth, device="cuda").to(kind)
        want = a.double() @ b.double().t()
        for name, tolerance in TOLERANCE.items():
            kernel = getattr(kernels, name)
            first, second = (torch.full((rows, columns), -77.0, device="cuda") for _ in range(2))
            for result in (first, second):
                kernel[cdiv(rows, m), cdiv(columns, n)](a, b, result)
            assert torch.equal(first, second)
            error = ((first.double() - want).norm() / want.norm()).item()
            assert error <= tolerance, (name, rows, columns, depth, error)
            assert "wgmma.mma_async.sync.aligned.m64" in kernel.compile(a, b, first, arch="sm_90a").ptx
