"""Loads and stores of the same memory in loops, operands that several products share, and what may not move over an acquire.

The numbers are those of docs/cases.md.
"""

from __future__ import annotations

import pytest

LOOPS = ["range({})", "ph.unroll({})"]
BACK = """
@ph.kernel
@ph.launch({threads})
@ph.autotune(stages=[{stages}])
def back(A: ph.tensor[ph.f32][N], V: ph.tensor[ph.f32][N], D: ph.tensor[ph.f32][N]):
    for i in {loop}:
        s = i * 128
        v = V[s:+128]
        A[s:+128] = v
        w = A[s:+128]
        D[s:+128] = w - v


@ph.kernel
@ph.launch({threads})
@ph.autotune(stages=[{stages}])
def shifted(A: ph.tensor[ph.f32][N], V: ph.tensor[ph.f32][N], D: ph.tensor[ph.f32][N]):
    for i in {loop}:  # what a turn stores another thread loads in the next
        A[i * 128 + 128:+128] = A[i * 128 + 1:+128] + V[i * 128:+128]


@ph.kernel
@ph.launch({threads})
@ph.autotune(stages=[{stages}])
def overwritten(A: ph.tensor[ph.f32][N], V: ph.tensor[ph.f32][N], D: ph.tensor[ph.f32][N]):
    for i in {loop}:  # a tile is read, then overwritten from its mirror image
        t = A[0:+128]
        D[i * 128:+128] = t
        A[0:+128] = V[i * 128:+128] + ph.reshape(ph.transpose(ph.reshape(t, 16, 8)), 128)
"""


@pytest.mark.parametrize("threads", [32, 128])
@pytest.mark.parametrize("stages", [1, 3])
@pytest.mark.parametrize("loop", LOOPS)
def test_case_31_stores_are_loaded_again(loop, stages, threads, load_kernels, torch):
    turns = 6
    kernels = load_kernels(BACK.format(loop=loop.format(turns), threads=threads, stages=stages))
    whole = torch.randint(-50, 50, ((turns + 1) * 128,), device="cuda").float()
    for name in ("back", "shifted", "overwritten"):
        a, d = torch.arange(whole.numel(), device="cuda").float(), torch.full_like(whole, 77.0)
        want_a, want_d = a.clone(), d.clone()
        getattr(kernels, name)[1](a, whole, d)
        for i in range(turns):
            at, after = slice(i * 128, i * 128 + 128), slice(i * 128 + 128, i * 128 + 256)
            if name == "back":
                want_a[at], want_d[at] = whole[at], 0
            elif name == "shifted":
                want_a[after] = want_a[i * 128 + 1 : i * 128 + 129] + whole[at]
            else:
                want_d[at] = want_a[:128]
                want_a[:128] = whole[at] + want_a[:128].reshape(16, 8).t().reshape(128)
        assert torch.equal(a, want_a) and torch.equal(d, want_d), name


FEEDBACK = """
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.autotune(stages=[{stages}])
def powers(A: ph.tensor[ph.f16][64, K], B: ph.tensor[ph.f16][64, 64]):
    b = B[:, :]
    for i in range({turns}):  # the k-th tile is the product of the one before
        A[:, i * 64 + 64:+64] = ph.dot(A[:, i * 64:+64], b)


@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.autotune(stages=[{stages}])
def sums(A: ph.tensor[ph.f16][64, K], B: ph.tensor[ph.f16][64, 64]):
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for i in range({turns}):  # a sum over tiles of which each is written by the turn before
        acc += ph.dot(A[:, i * 64:+64], B[:, :])
        A[:, i * 64 + 64:+64] = acc
"""


@pytest.mark.parametrize("stages", [1, 2, 4])
def test_case_31_operands_that_the_loop_itself_stores(stages, load_kernels, torch):
    turns = 4
    kernels = load_kernels(FEEDBACK.format(stages=stages, turns=turns))
    b = torch.eye(64, device="cuda").roll(1, 0).half()  # a permutation, so that everything is exact
    for name in ("powers", "sums"):
        a = torch.randint(0, 4, (64, 64 * turns + 64), device="cuda").half()
        want = a.float()
        getattr(kernels, name)[1](a, b)
        acc = torch.zeros(64, 64, device="cuda")
        for i in range(turns):
            product = want[:, 64 * i : 64 * i + 64] @ b.float()
            acc = acc + product if name == "sums" else product
            want[:, 64 * i + 64 : 64 * i + 128] = acc
        assert torch.equal(a.float(), want), name


LAYERS = """
@ph.kernel
@ph.launch(128)
@ph.tensorcore{more}
@ph.autotune(stages=[{stages}])
def layers(X: ph.tensor[ph.f16][L, M, 128], B: ph.tensor[ph.f16][128, 128], Y: ph.tensor[ph.f16][M, 128]):
    row: ph.let = ph.ctx.block.x * 64
    for i in range(0, L - 1):  # a product's operand is the product before, by way of memory
        acc: ph.var[ph.tile[ph.f32][64, 128]] = 0
        for k in range(0, 128, 64):
            acc += ph.dot(X[i, row:+64, k:+64], B[k:+64, 0:+128])
        X[i + 1, row:+64, 0:+128] = acc
    Y[row:+64, 0:+128] = X[L - 1, row:+64, 0:+128] + X[L - 2, row:+64, 0:+128]
"""


@pytest.mark.parametrize("more", ["", "\n@ph.persistent"], ids=["plain", "persistent"])
@pytest.mark.parametrize("stages", [1, 2, 4])
def test_case_31_products_of_what_was_stored(stages, more, load_kernels, torch):
    b = torch.eye(128, device="cuda").roll(1, 0).half()
    x, y = torch.randint(0, 9, (5, 200, 128), device="cuda").half(), torch.full((200, 128), 77.0, device="cuda").half()
    want = x[0].float()
    load_kernels(LAYERS.format(stages=stages, more=more)).layers[4](x, b, y)
    for i in range(1, 5):
        before, want = want, want @ b.float()
        assert torch.equal(x[i].float(), want), i
    assert torch.equal(y.float(), want + before)


SHARED = """
@ph.kernel
@ph.launch({threads})
@ph.tensorcore{more}
@ph.autotune(stages=[{stages}])
def both(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][K, N], X: ph.tensor[ph.f32][M, N], Y: ph.tensor[ph.f32][M, N]):
    row: ph.let = ph.ctx.block.x * {m}
    column: ph.let = ph.ctx.block.y * 64
    x: ph.var[ph.tile[ph.f32][{m}, 64]] = 0
    y: ph.var[ph.tile[ph.f32][{m}, 64]] = 0
    for k in range(0, K, 64):
        a = A[row:+{m}, k:+64]
        x += ph.dot(a, B[k:+64, column:+64])
        y += ph.dot(a, C[k:+64, column:+64])
    X[row:+{m}, column:+64] = x
    Y[row:+{m}, column:+64] = y
"""


@pytest.mark.parametrize(
    "more", ["", "\n@ph.persistent", '\n@ph.persistent(order="queue")'], ids=["plain", "persistent", "queue"]
)
@pytest.mark.parametrize("threads,m,stages", [(128, 64, 2), (256, 128, 3)])
def test_case_34_products_that_share_an_operand(threads, m, stages, more, load_kernels, torch, times):
    kernel = load_kernels(SHARED.format(threads=threads, m=m, stages=stages, more=more)).both
    a = torch.randint(-4, 5, (2 * m + 8, 264), device="cuda").half()
    b, c = (torch.randint(-4, 5, (264, 136), device="cuda").half() for _ in range(2))
    wanted = a.float() @ b.float(), a.float() @ c.float()
    for _ in range(times):
        x, y = (torch.full((2 * m + 8, 136), 77.0, device="cuda") for _ in range(2))
        kernel[3, 3](a, b, c, x, y)
        assert torch.equal(x, wanted[0]) and torch.equal(y, wanted[1])


@pytest.fixture
def times():
    """How often what must not differ is repeated."""
    return 1000


HANDOVER = """
@ph.kernel
@ph.launch(128)
def handed(A: ph.tensor[ph.f32][N], F: ph.tensor[ph.i32][1], B: ph.tensor[ph.f32][N]):
    if ph.ctx.block.x == 0:
        for i in range(0, N, 256):
            A[i:+256] = ph.f32(ph.iota(256) + i)
        ph.atomic_xchg(F[0], 1, order="release")
    else:
        while ph.atomic_add(F[0], 0, order="acquire") == 0:
            pass
        for i in range(0, N, 256):
            B[i:+256] = A[i:+256] * 2


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def multiplied(A: ph.tensor[ph.f16][64, K], B: ph.tensor[ph.f16][K, 64], F: ph.tensor[ph.i32][1], C: ph.tensor[ph.f32][64, 64]):
    if ph.ctx.block.x == 0:
        for k in range(0, K, 64):
            A[:, k:+64] = ph.f16(ph.iota(64)[None, :] % 8 + ph.zeros((64, 1)))
        ph.atomic_xchg(F[0], 1, order="release")
    else:
        acc: ph.var[ph.tile[ph.f32][64, 64]] = 0
        while ph.atomic_add(F[0], 0, order="acquire") == 0:
            pass
        for k in range(0, K, 64):
            acc += ph.dot(A[:, k:+64], B[k:+64, :])
        C[:, :] = acc
"""


def test_case_36_nothing_is_loaded_before_it_is_acquired(load_kernels, torch):
    kernels = load_kernels(HANDOVER)
    a, b, flag = (
        torch.zeros(2048, device="cuda"),
        torch.zeros(2048, device="cuda"),
        torch.zeros(1, device="cuda", dtype=torch.int32),
    )
    kernels.handed[2](a, flag, b)
    assert torch.equal(b, torch.arange(2048, device="cuda") * 2.0)
    flag.zero_()
    a, b, c = (
        torch.zeros(64, 256, device="cuda").half(),
        torch.ones(256, 64, device="cuda").half(),
        torch.zeros(64, 64, device="cuda"),
    )
    kernels.multiplied[2](a, b, flag, c)
    assert bool((c == 28 * 8 * 4).all())
