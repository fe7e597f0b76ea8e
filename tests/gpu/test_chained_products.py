"""Loops with several products, on a chip with wgmma: one's sums as the next one's operand, slices that two of them share or that are worked
on before they are multiplied, plain and with roles, beside float64; twice for races."""

from __future__ import annotations

import pytest

SOURCE = """
@ph.kernel
@ph.launch({threads})
@ph.tensorcore{more}
@ph.pipeline(stages=3)
def chain(Q: ph.tensor[ph.{dtype}][M, {d}], K: ph.tensor[ph.{dtype}][N, {d}], V: ph.tensor[ph.{dtype}][N, {d}], O: ph.tensor[ph.{dtype}][M, {d}]):
    row: ph.let = ph.ctx.block.x * {m}
    q: ph.let = Q[row:+{m}, :]
    acc: ph.var[ph.tile[ph.f32][{m}, {d}]] = 0.0
    for k in range(0, N, {n}):
        s = ph.dot_t(q, K[k:+{n}, :])
        acc += ph.dot(ph.{dtype}(s * 0.125), V[k:+{n}, :])
    O[row:+{m}, :] = acc


@ph.kernel
@ph.launch({threads})
@ph.tensorcore{more}
def attention(Q: ph.tensor[ph.{dtype}][M, {d}], K: ph.tensor[ph.{dtype}][N, {d}], V: ph.tensor[ph.{dtype}][N, {d}], O: ph.tensor[ph.{dtype}][M, {d}]):
    row: ph.let = ph.ctx.block.x * {m}
    q: ph.let = Q[row:+{m}, :]
    acc: ph.var[ph.tile[ph.f32][{m}, {d}]] = 0.0
    top: ph.var[ph.tile[ph.f32][{m}, 1]] = -1e30
    total: ph.var[ph.tile[ph.f32][{m}, 1]] = 0.0
    for k in range(0, N, {n}):
        s = ph.dot_t(q, K[k:+{n}, :]) * 0.18
        s = ph.where(k + ph.iota({n}) < N, s, -1e30)
        higher = ph.max(top, ph.rowmax(s))
        p = ph.exp2(s - higher)
        shrink = ph.exp2(top - higher)
        total = total * shrink + ph.rowsum(p)
        acc = ph.dot(ph.{dtype}(p), V[k:+{n}, :], acc * shrink)
        top = higher
    O[row:+{m}, :] = acc / total


@ph.kernel
@ph.launch({threads})
@ph.tensorcore{more}
@ph.pipeline(stages=3)
def gated(X: ph.tensor[ph.{dtype}][M, D], W: ph.tensor[ph.{dtype}][D, N], G: ph.tensor[ph.{dtype}][D, N], O: ph.tensor[ph.{dtype}][M, N]):
    row: ph.let = ph.ctx.block.x * {m}
    column: ph.let = ph.ctx.block.y * {n}
    up: ph.var[ph.tile[ph.f32][{m}, {n}]] = 0.0
    gate: ph.var[ph.tile[ph.f32][{m}, {n}]] = 0.0
    for k in range(0, D, 64):
        x = X[row:+{m}, k:+64]
        up += ph.dot(x, W[k:+64, column:+{n}])
        gate += ph.dot(x, G[k:+64, column:+{n}])
    O[row:+{m}, column:+{n}] = up * gate * ph.sigmoid(gate)


@ph.kernel
@ph.launch({threads})
@ph.tensorcore{more}
@ph.pipeline(stages=2)
def gram(X: ph.tensor[ph.{dtype}][{m}, D], O: ph.tensor[ph.f32][{m}, {m}]):
    acc: ph.var[ph.tile[ph.f32][{m}, {m}]] = 0.0
    for k in range(0, D, 64):
        x = X[0:+{m}, k:+64]
        acc += ph.dot_t(x, x)
    O[:, :] = acc


@ph.kernel
@ph.launch({threads})
@ph.tensorcore{more}
@ph.pipeline(stages=2)
def quantised(W: ph.tensor[ph.i8][M, D], X: ph.tensor[ph.{dtype}][D, N], O: ph.tensor[ph.{dtype}][M, N], scale: ph.f32):
    row: ph.let = ph.ctx.block.x * {m}
    column: ph.let = ph.ctx.block.y * {n}
    acc: ph.var[ph.tile[ph.f32][{m}, {n}]] = 0.0
    for k in range(0, D, 64):
        acc += ph.dot(ph.{dtype}(W[row:+{m}, k:+64]) * ph.{dtype}(0.5), X[k:+64, column:+{n}])
    O[row:+{m}, column:+{n}] = acc * scale


@ph.kernel
@ph.launch({threads})
@ph.tensorcore{more}
@ph.pipeline(stages=2)
def squared(A: ph.tensor[ph.{dtype}][M, D], B: ph.tensor[ph.{dtype}][N, D], O: ph.tensor[ph.f32][M, N]):
    row: ph.let = ph.ctx.block.x * {m}
    column: ph.let = ph.ctx.block.y * {n}
    acc: ph.var[ph.tile[ph.f32][{m}, {n}]] = 0.0
    for k in range(0, D, 64):
        acc += ph.dot_t(ph.abs(A[row:+{m}, k:+64]), B[column:+{n}, k:+64])
    O[row:+{m}, column:+{n}] = acc
"""
# threads, dtype, rows, columns of K's tile, head
VARIANTS = [(128, "f16", 64, 64, 64), (256, "f16", 128, 128, 64), (256, "bf16", 128, 64, 128)]
TOLERANCE = {"f16": 1e-3, "bf16": 8e-3}


@pytest.fixture(autouse=True)
def wgmma(torch):
    if torch.cuda.get_device_capability() != (9, 0):
        pytest.skip("no wgmma on this device")


def cdiv(a: int, b: int) -> int:
    return -(-a // b)


@pytest.fixture(params=VARIANTS, ids=str)
def variant(request):
    return request.param


@pytest.fixture(params=["", "\n@ph.persistent"], ids=["plain", "roles"])
def kernels(request, variant, load_kernels):
    threads, dtype, m, n, d = variant
    return load_kernels(SOURCE.format(threads=threads, dtype=dtype, m=m, n=n, d=d, more=request.param))


def draw(torch, dtype: str, *shape: int):
    return torch.randn(shape, device="cuda").to({"f16": torch.float16, "bf16": torch.bfloat16}[dtype])


def check(torch, kernel, grid, *operands, want, out: str, tolerance: float, more=()):
    dtypes = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}
    first, second = (torch.full(want.shape, -77, device="cuda", dtype=dtypes[out]) for _ in range(2))
    for result in (first, second):
        kernel[grid](*operands, result, *more)
    assert torch.equal(first, second)
    error = ((first.double() - want).norm() / want.norm()).item()
    assert error <= tolerance, error
    ptx = kernel.compile(*operands, first, *more, arch="sm_90a").ptx
    assert "wgmma" in ptx and "mma.sync" not in ptx


def rows_and_keys(m: int, n: int):
    return (m, n), (3 * m, 5 * n), (2 * m - 8, 3 * n - 8)


def test_a_product_of_a_product(kernels, variant, torch):
    _, dtype, m, n, d = variant
    torch.manual_seed(0)
    for rows, keys in rows_and_keys(m, n):
        q, k, v = draw(torch, dtype, rows, d), draw(torch, dtype, keys, d), draw(torch, dtype, keys, d)
        s = (q.double() @ k.double().t() * 0.125).to(q.dtype).double()
        check(torch, kernels.chain, cdiv(rows, m), q, k, v, want=s @ v.double(), out=dtype, tolerance=TOLERANCE[dtype])


def test_attention(kernels, variant, torch):
    _, dtype, m, n, d = variant
    torch.manual_seed(1)
    for rows, keys in rows_and_keys(m, n):
        q, k, v = draw(torch, dtype, rows, d), draw(torch, dtype, keys, d), draw(torch, dtype, keys, d)
        p = torch.softmax(q.double() @ k.double().t() * 0.18 * 0.6931471805599453, -1)
        check(torch, kernels.attention, cdiv(rows, m), q, k, v, want=p @ v.double(), out=dtype, tolerance=TOLERANCE[dtype])


# Case 34 of docs/cases.md.
def test_two_products_of_one_slice(kernels, variant, torch):
    _, dtype, m, n, _ = variant
    torch.manual_seed(2)
    for rows, columns in rows_and_keys(m, n):
        x, w, g = draw(torch, dtype, rows, 328) / 4, draw(torch, dtype, 328, columns) / 4, draw(torch, dtype, 328, columns) / 4
        up, gate = x.double() @ w.double(), x.double() @ g.double()
        want = up * gate * torch.sigmoid(gate)
        check(torch, kernels.gated, (cdiv(rows, m), cdiv(columns, n)), x, w, g, want=want, out=dtype, tolerance=TOLERANCE[dtype])


def test_a_slice_by_itself(kernels, variant, torch):
    _, dtype, m, _, _ = variant
    torch.manual_seed(3)
    x = draw(torch, dtype, m, 328)
    check(torch, kernels.gram, 1, x, want=x.double() @ x.double().t(), out="f32", tolerance=1e-5)


def test_weights_of_bytes(kernels, variant, torch):
    _, dtype, m, n, _ = variant
    torch.manual_seed(4)
    for rows, columns in rows_and_keys(m, n):
        w = torch.randint(-128, 128, (rows, 336), device="cuda", dtype=torch.int8)
        x = draw(torch, dtype, 336, columns)
        want = w.double() @ x.double() * 0.5 * 0.01
        grid = (cdiv(rows, m), cdiv(columns, n))
        check(torch, kernels.quantised, grid, w, x, want=want, out=dtype, tolerance=TOLERANCE[dtype], more=(0.01,))


def test_an_operand_that_is_worked_on(kernels, variant, torch):
    _, dtype, m, n, _ = variant
    torch.manual_seed(5)
    for rows, columns in rows_and_keys(m, n):
        a, b = draw(torch, dtype, rows, 328), draw(torch, dtype, columns, 328)
        want = a.double().abs() @ b.double().t()
        check(torch, kernels.squared, (cdiv(rows, m), cdiv(columns, n)), a, b, want=want, out="f32", tolerance=1e-5)
