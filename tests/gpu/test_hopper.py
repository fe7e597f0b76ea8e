"""wgmma products on a chip that has them: tiles, stages, operand orders and ragged edges against float64, twice for races."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import import_file

SOURCE = """
from __future__ import annotations
import phobos.lang as ph

@ph.kernel
@ph.launch({threads})
@ph.tensorcore(f32="tf32")
@ph.pipeline(stages={stages}){more}
def matmul(A: ph.tensor[ph.{dtype}][M, K], B: ph.tensor[ph.{dtype}][{dims}], C: ph.tensor[ph.{out}][M, N]):
    row = ph.ctx.block.x * {m}
    column = ph.ctx.block.y * {n}
    acc: ph.var[ph.tile[ph.{sums}][{m}, {n}]] = 0
    for k in range(0, K, {k}):
        acc += {product}
    C[row:+{m}, column:+{n}] = acc
"""
# threads, stages, dtype, order of A and B (n as it is, t transposed), tile
VARIANTS = [
    (256, 4, "f16", "nn", (128, 256, 64)),
    (256, 2, "f16", "nn", (64, 64, 32)),
    (128, 4, "f16", "nn", (64, 128, 128)),
    (256, 3, "bf16", "nt", (128, 128, 64)),
    (256, 3, "f16", "tn", (128, 128, 64)),
    (256, 3, "f16", "tt", (128, 128, 32)),
    (128, 3, "f16", "nn", (128, 64, 64)),
    (512, 3, "f16", "nn", (256, 128, 64)),
    (256, 4, "f16", "nt", (64, 256, 64)),
    (128, 5, "bf16", "nn", (64, 32, 16)),
    (256, 3, "i8", "nt", (128, 128, 128)),
    (128, 4, "i8", "nt", (64, 64, 32)),
    (256, 4, "f32", "nt", (128, 128, 32)),
    (128, 3, "f32", "nt", (64, 256, 16)),
]


NESTED = """
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.pipeline(stages=3)
def matmul(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N]):
    row: ph.let = ph.ctx.block.x * 64
    for column in range(0, N, 64):
        acc: ph.var[ph.tile[ph.f32][64, 64]] = 0.0
        for k in range(0, K, 64):
            acc += ph.dot(A[row:+64, k:+64], B[k:+64, column:+64])
        C[row:+64, column:+64] = acc
"""


def shapes(m: int, n: int, k: int):
    """One tile, several, and ragged ones; a pitch of whole 16 bytes, as the copy engine wants."""
    return (m, n, k), (2 * m, 3 * n, 5 * k), (1000, 1096, 520), (m - 8, n + 8, 3 * k + 8), (512, 512, 2048)


@pytest.fixture(autouse=True)
def wgmma(torch):
    if torch.cuda.get_device_capability() != (9, 0):
        pytest.skip("no wgmma on this device")


def test_operands_are_rounded_to_tf32(torch, load_kernels):
    """To nearest even by the copy engine, where wgmma would cut off: times one, sums are the rounded operands, bit for bit."""
    text = SOURCE.format(threads=128, stages=2, more="", dtype="f32", dims="N, K", out="f32", sums="f32", m=64, n=64, k=32, product="ph.dot_t(A[row:+64, k:+32], B[column:+64, k:+32])")  # fmt: skip
    generator = np.random.default_rng(1)
    bits = generator.integers(0x30000000, 0x50000000, (64, 64), np.uint32) | generator.integers(0, 2, (64, 64), np.uint32) << np.uint32(31)
    bits[::2, ::3] = bits[::2, ::3] & np.uint32(0xFFFFE000) | np.uint32(0x1000)  # ties
    rounded = (bits + np.uint32(0xFFF) + (bits >> np.uint32(13) & np.uint32(1))) & np.uint32(0xFFFFE000)
    a, ones, c = torch.tensor(bits.view(np.float32), device="cuda"), torch.eye(64, device="cuda"), torch.empty(64, 64, device="cuda")
    load_kernels(text).matmul[1, 1](a, ones, c)
    got = np.asarray(c.cpu().numpy())
    assert (got.view(np.uint32) == rounded).all(), f"{(got.view(np.uint32) != rounded).sum()} differ"


def test_a_loop_that_runs_again(torch, load_kernels):
    """The barriers' phases go on: five turns over three slots leave them at another place each time."""
    torch.manual_seed(0)
    a, b = torch.randn(128, 320, device="cuda").half(), torch.randn(320, 448, device="cuda").half()
    c = torch.empty(128, 448, device="cuda", dtype=torch.float16)
    matmul = load_kernels(NESTED).matmul
    matmul[2](a, b, c)
    assert "wgmma" in matmul.compile(a, b, c, arch="sm_90a").ptx
    want = a.double() @ b.double()
    assert ((c.double() - want).norm() / want.norm()).item() < 4e-4


# The same, and what they leave: an f16 tile, or its sums.
PERSISTENT = [(variant, out) for variant in VARIANTS[:7] for out in (variant[2], "f32")]
PERSISTENT += [(variant, "i32" if variant[2] == "i8" else "f32") for variant in VARIANTS[10:]]


def check_product(torch, tmp_path, variant, out: str, more: str):
    threads, stages, name, order, (m, n, k) = variant
    left = f"A[row:+{m}, k:+{k}]"
    if order[1] == "t":
        dims, product = "N, K", f"ph.dot_t({left}, B[column:+{n}, k:+{k}])"
    else:
        dims, product = "K, N", f"ph.dot({left}, B[k:+{k}, column:+{n}])"
    path = tmp_path / "kernel.py"
    path.write_text(
        SOURCE.format(threads=threads, stages=stages, dtype=name, dims=dims, m=m, n=n, k=k, product=product, out=out, more=more,
                      sums="i32" if name == "i8" else "f32")
    )
    matmul = import_file(path).matmul
    dtypes = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "i8": torch.int8, "i32": torch.int32}

    def operand(*shape):
        if name == "i8":
            return torch.randint(-128, 128, shape, device="cuda", dtype=torch.int8)
        return torch.randn(shape, device="cuda").to(dtypes[name])

    torch.manual_seed(0)
    used = False
    for rows, columns, depth in shapes(m, n, k):
        depth = -(-depth // 16) * 16  # a pitch of whole 16 bytes, whatever the type
        a, b = operand(rows, depth), operand(depth, columns)
        want = a.double() @ b.double()
        a = a.t().contiguous().t() if order[0] == "t" else a
        b = b.t().contiguous() if order[1] == "t" else b
        got = torch.full((rows, columns), -77, device="cuda", dtype=dtypes[out])
        again = got.clone()
        for result in (got, again):
            matmul[(rows + m - 1) // m, (columns + n - 1) // n](a, b, result)
        assert torch.equal(got, again)
        error = ((got.double() - want).norm() / want.norm()).item()
        bound = 0.0 if name == "i8" else 1e-3 if name == "f32" else {"f16": 4e-4, "bf16": 3e-3, "f32": 1e-5}[out]
        assert error <= bound, (rows, columns, depth, error)
        used |= "wgmma" in matmul.compile(a, b, got, arch="sm_90a").ptx
    assert used


ELSEWHERE = """
@ph.kernel
@ph.launch(128)
@ph.tensorcore
def matmul(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N], start: ph.i32):
    row: ph.let = ph.ctx.block.x * 64
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for k in range(0, K, 64):
        acc += ph.dot(A[row:+64, k:+64], B[k:+64, {start}:+64])
    C[row:+64, {start}:+64] = acc
"""


@pytest.mark.parametrize("start", ["3", "start", "start * 8"])
def test_a_start_inside_a_row(start, torch, load_kernels):
    """The copy engine takes tiles at whole 16 bytes of a row; elsewhere is an illegal instruction."""
    a, b = torch.randn(128, 128, device="cuda").half(), torch.randn(128, 256, device="cuda").half()
    c = torch.full((128, 256), 7.0, device="cuda", dtype=torch.float16)
    matmul = load_kernels(ELSEWHERE.format(start=start)).matmul
    matmul[2](a, b, c, 3)
    at = 24 if "*" in start else 3
    want = c.double().fill_(7.0)
    want[:, at : at + 64] = a.double() @ b.double()[:, at : at + 64]
    assert ((c.double() - want).norm() / want.norm()).item() < 4e-4
    assert ("wgmma" in matmul.compile(a, b, c, 3, arch="sm_90a").ptx) == ("*" in start)


BEFORE = """
@ph.kernel
@ph.launch(128)
@ph.tensorcore
def matmul(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, 64], C: ph.tensor[ph.f16][M, 64], D: ph.tensor[ph.f16][2, M, 64], start: ph.i32):
    row: ph.let = ph.ctx.block.x * 64 - 1
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for k in range(0, K, 64):
        acc += ph.dot(A[row:+64, k:+64], B[k:+64, 0:+64])
    C[row:+64, 0:+64] = acc
    D[start, ph.ctx.block.x * 64:+64, 0:+64] = acc
"""


def test_a_tile_that_begins_before_the_tensor(torch, load_kernels):
    """The copy engine brings it, and does not store it: that is an illegal instruction."""
    matmul = load_kernels(BEFORE).matmul
    torch.manual_seed(0)
    a, b = torch.randn(127, 128, device="cuda").half(), torch.randn(128, 64, device="cuda").half()
    want = a.double() @ b.double()
    for start in (-1, 0, 1, 2):
        c, d = torch.full((127, 64), -77.0, device="cuda").half(), torch.full((2, 127, 64), -77.0, device="cuda").half()
        matmul[2](a, b, c, d, start)
        torch.cuda.synchronize()
        assert ((c.double() - want).norm() / want.norm()).item() < 4e-4
        written = (d != -77).reshape(2, -1).any(-1).tolist()
        assert written == [start == 0, start == 1]


LATE = """
@ph.kernel
@ph.launch(128)
@ph.tensorcore
def backwards(A: ph.tensor[ph.f16][64, K], B: ph.tensor[ph.f16][K, 64], I: ph.tensor[ph.i32][L], C: ph.tensor[ph.f32][64, 64]):
    acc: ph.var = ph.zeros((64, 64))
    a = A[:, 0:+64]
    for k in range(0, L):
        s = ph.dot(a, B[k * 64:+64, :])
        last = (L - 1 - k) * 64
        acc = ph.dot(ph.f16(s), B[last:+64, :], acc)
    C[:, :] = acc


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def looked_up(A: ph.tensor[ph.f16][64, K], B: ph.tensor[ph.f16][K, 64], I: ph.tensor[ph.i32][L], C: ph.tensor[ph.f32][64, 64]):
    acc: ph.var = ph.zeros((64, 64))
    for k in range(0, L):
        at = I[k] * 64
        acc = ph.dot(A[:, at:+64], B[at:+64, :], acc)
    C[:, :] = acc


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def later(A: ph.tensor[ph.f16][64, K], B: ph.tensor[ph.f16][K, 64], I: ph.tensor[ph.i32][L], C: ph.tensor[ph.f32][64, 64]):
    acc: ph.var = ph.zeros((64, 64))
    for k in range(0, L):
        s = ph.dot(A[:, k * 64:+64], B[k * 64:+64, :])
        acc = ph.dot(ph.f16(s), B[I[k] * 64:+64, :], acc)
    C[:, :] = acc


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def counted(A: ph.tensor[ph.f16][64, K], B: ph.tensor[ph.f16][K, 64], I: ph.tensor[ph.i32][L], C: ph.tensor[ph.f32][64, 64]):
    acc: ph.var = ph.zeros((64, 64))
    at: ph.var = 0
    for k in range(0, L):
        acc = ph.dot(A[:, at * 64:+64], B[at * 64:+64, :], acc)
        at += 1
    C[:, :] = acc
"""


@pytest.mark.parametrize("name", ["looked_up", "later", "counted", "backwards"])
def test_slices_whose_place_comes_late(name, torch, load_kernels):
    torch.manual_seed(0)
    a, b = torch.randn(64, 320, device="cuda").half() / 4, torch.randn(320, 64, device="cuda").half() / 4
    places = torch.tensor([3, 1, 4, 0, 2], device="cuda", dtype=torch.int32)
    c = torch.full((64, 64), -77.0, device="cuda")
    getattr(load_kernels(LATE), name)[1](a, b, places, c)
    want = a.double() @ b.double()
    if name == "later":
        parts = [slice(64 * i, 64 * i + 64) for i in range(5)]
        sums = [(a[:, part].double() @ b[part].double()).half().double() for part in parts]
        want = sum(s @ b[parts[i]].double() for s, i in zip(sums, places.tolist()))
    if name == "backwards":
        want = sum((a[:, :64].double() @ b[part].double()).half().double() @ b[256 - part.start : 320 - part.start].double()
                   for part in (slice(64 * i, 64 * i + 64) for i in range(5)))
    assert ((c.double() - want).norm() / want.norm()).item() < 1e-3


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_product(variant, torch, tmp_path):
    check_product(torch, tmp_path, variant, "i32" if variant[2] == "i8" else variant[2], "")


@pytest.mark.parametrize("order", ["", '(order="queue")'])
@pytest.mark.parametrize("variant,out", PERSISTENT, ids=str)
def test_persistent_product(variant, out, order, torch, tmp_path):
    check_product(torch, tmp_path, variant, out, f"\n@ph.persistent{order}\n@ph.swizzle(4)")
