"""Atomic operations on slices: many blocks on the same elements, against sums and bits computed apart; what was there, which
no two blocks may be given alike; edges, masks, locks."""

from __future__ import annotations

import pytest

HEAD = """
@ph.kernel
@ph.launch({threads})
"""
DTYPES = {"i32": "int32", "u32": "uint32", "i64": "int64", "u64": "uint64", "f32": "float32", "f64": "float64", "f16": "float16"}
BLOCKS = 24


def of(torch, dtype: str):
    """torch's type by our name; an older torch has no wide unsigned integers."""
    if not hasattr(torch, DTYPES[dtype]):
        pytest.skip(f"this torch has no {DTYPES[dtype]}")
    return getattr(torch, DTYPES[dtype])


@pytest.mark.parametrize("threads", [32, 128, 256])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(4, 8), (1, 1), (16, 32), (3, 5)], ids=str)
def test_sum_of_blocks(dtype, shape, threads, load_kernels, torch):
    """Every block adds to the same tile: each element once a block, replicated lanes or not. Small integers are exact in all dtypes."""
    rows, columns = shape
    text = HEAD.format(threads=threads) + f"""
def add(A: ph.tensor[ph.{dtype}][M, N], B: ph.tensor[ph.{dtype}][R, N]):
    i = ph.ctx.block.x
    ph.atomic_add(B[0:+{rows}, 0:+{columns}], A[i * {rows}:+{rows}, 0:+{columns}])
"""
    given = torch.randint(0, 8, (BLOCKS * rows, columns), device="cuda", dtype=torch.int32)
    sums = torch.full(shape, 1, device="cuda", dtype=torch.int32).to(of(torch, dtype))
    load_kernels(text).add[BLOCKS](given.to(of(torch, dtype)), sums)
    torch.cuda.synchronize()
    wanted = given.view(BLOCKS, rows, columns).sum(0).int() + 1
    assert torch.equal(sums.to(torch.int32), wanted)


def test_outside_is_left_alone_and_reads_as_zero(load_kernels, torch):
    text = HEAD.format(threads=64) + """
def add(A: ph.tensor[ph.i32][M, N], O: ph.tensor[ph.i32][16, 16]):
    i = ph.ctx.block.x - 3
    O[:, :] = ph.atomic_add(A[i:+16, 2:+16], 5)
"""
    # The last columns belong to someone else.
    whole = torch.arange(7 * 12, device="cuda", dtype=torch.int32).view(7, 12) + 1
    before = whole.clone()
    old = torch.full((16, 16), 77, device="cuda", dtype=torch.int32)
    load_kernels(text).add[1](whole[:, :9], old)
    torch.cuda.synchronize()
    wanted = torch.zeros((16, 16), device="cuda", dtype=torch.int32)
    wanted[3:10, :7] = before[:, 2:9]
    assert torch.equal(old, wanted)
    before[:, 2:9] += 5
    assert torch.equal(whole, before)


@pytest.mark.parametrize("threads", [32, 128])
def test_histogram(threads, load_kernels, torch):
    """One counter a value, which all blocks want at once."""
    bins, each = 8, 32
    text = HEAD.format(threads=threads) + f"""
def histogram(X: ph.tensor[ph.i32][N], H: ph.tensor[ph.i32][{bins}]):
    base = ph.ctx.block.x * {each}
    for j in range({each}):
        ph.atomic_add(H[X[base + j]], 1)
"""
    values = torch.randint(0, bins, (BLOCKS * each,), device="cuda", dtype=torch.int32)
    counts = torch.zeros((bins,), device="cuda", dtype=torch.int32)
    load_kernels(text).histogram[BLOCKS](values, counts)
    torch.cuda.synchronize()
    assert counts.tolist() == [int((values == b).sum()) for b in range(bins)]


def test_split_k(load_kernels, torch):
    """A product whose k is divided among blocks. Small integers: the sum is exact in any order."""
    text = HEAD.format(threads=128) + """
def multiply(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f32][M, N]):
    k = ph.ctx.block.x * 64
    acc = ph.zeros((64, 64))
    for j in range(0, 64, 32):
        acc = ph.dot(A[0:+64, k + j:+32], B[k + j:+32, 0:+64], acc)
    ph.atomic_add(C[0:+64, 0:+64], acc)
"""
    a = torch.randint(-2, 3, (60, 256), device="cuda", dtype=torch.int32).half()
    b = torch.randint(-2, 3, (256, 56), device="cuda", dtype=torch.int32).half()
    c = torch.zeros((60, 56), device="cuda", dtype=torch.float32)
    load_kernels(text).multiply[4](a, b, c)
    torch.cuda.synchronize()
    assert torch.equal(c, a.float() @ b.float())


@pytest.mark.parametrize("threads", [32, 128])
def test_tickets(threads, load_kernels, torch):
    """What was there differs from block to block, and every thread of a block is told the same."""
    text = HEAD.format(threads=threads) + """
def draw(N: ph.tensor[ph.i32][1], T: ph.tensor[ph.i32][M, 16]):
    ticket = ph.atomic_add(N[0], 1)
    T[ticket, 0:+16] = ph.full((16,), ticket, ph.i32)
"""
    counter = torch.zeros((1,), device="cuda", dtype=torch.int32)
    taken = torch.full((BLOCKS, 16), -1, device="cuda", dtype=torch.int32)
    load_kernels(text).draw[BLOCKS](counter, taken)
    torch.cuda.synchronize()
    assert counter.tolist() == [BLOCKS]
    assert torch.equal(taken, torch.arange(BLOCKS, device="cuda", dtype=torch.int32).view(-1, 1).expand(BLOCKS, 16).contiguous())


@pytest.mark.parametrize("last", ["ph.atomic_xchg(L[0], 0, order=\"release\")", "ph.atomic_and(L[0], 0, order=\"release\")"])
def test_lock(last, load_kernels, torch):
    """Blocks add to a tile with plain loads and stores, one at a time."""
    text = HEAD.format(threads=128) + f"""
def add(L: ph.tensor[ph.i32][1], C: ph.tensor[ph.f32][16, 64]):
    while ph.atomic_cas(L[0], 0, 1, order="acquire") != 0:
        pass
    C[:, :] += 1.0
    {last}
"""
    lock = torch.zeros((1,), device="cuda", dtype=torch.int32)
    sums = torch.zeros((16, 64), device="cuda", dtype=torch.float32)
    load_kernels(text).add[BLOCKS](lock, sums)
    torch.cuda.synchronize()
    assert lock.tolist() == [0]
    assert torch.equal(sums, torch.full((16, 64), float(BLOCKS), device="cuda", dtype=torch.float32))


@pytest.mark.parametrize("dtype", ["i32", "u32", "i64", "u64"])
def test_integers(dtype, load_kernels, torch):
    """Every operation on signed and unsigned numbers with the top bit set; `cas` where the values agree. One block: the order is known."""
    bits = int(dtype[1:])
    text = HEAD.format(threads=64) + f"""
def change(A: ph.tensor[ph.{dtype}][8, 32], X: ph.tensor[ph.{dtype}][32], O: ph.tensor[ph.{dtype}][8, 32]):
    x = X[:]
    O[0, :] = ph.atomic_add(A[0, :], x)
    O[1, :] = ph.atomic_min(A[1, :], x, scope="block")
    O[2, :] = ph.atomic_max(A[2, :], x, order="acq_rel")
    O[3, :] = ph.atomic_and(A[3, :], x, order="acquire")
    O[4, :] = ph.atomic_or(A[4, :], x, order="release")
    O[5, :] = ph.atomic_xor(A[5, :], x)
    O[6, :] = ph.atomic_xchg(A[6, :], x)
    O[7, :] = ph.atomic_cas(A[7, :], x, x + 1, scope="system")
"""
    signed = getattr(torch, f"int{bits}")
    given = torch.randint(-(2**31), 2**31, (8, 32), device="cuda", dtype=torch.int64) * 2 ** (bits - 32)
    x = torch.randint(-(2**31), 2**31, (32,), device="cuda", dtype=torch.int64) * 2 ** (bits - 32)
    given[7, ::2] = x[::2]
    given, x = given.to(signed), x.to(signed)
    changed, old = given.clone(), torch.zeros((8, 32), device="cuda", dtype=signed)
    load_kernels(text).change[1](*(t.view(of(torch, dtype)) for t in (changed, x, old)))
    torch.cuda.synchronize()
    assert torch.equal(old, given)
    top = -(2 ** (bits - 1)) if dtype.startswith("u") else 0  # unsigned order is that of the numbers with the top bit turned
    less = (x ^ top) < (given ^ top)
    same = given == x
    wanted = torch.stack([
        given[0] + x, torch.where(less[1], x, given[1]), torch.where(less[2], given[2], x), given[3] & x, given[4] | x, given[5] ^ x, x,
        torch.where(same[7], x + 1, given[7]),
    ])
    assert torch.equal(changed, wanted)


def test_program_order(load_kernels, torch):
    """In one block atomics, loads and stores of the same elements by other threads come in the program's order."""
    text = HEAD.format(threads=256) + """
def steps(A: ph.tensor[ph.i32][32, 32], O: ph.tensor[ph.i32][32, 32], P: ph.tensor[ph.i32][32, 32]):
    A[:, :] = ph.iota(32)[:, None] * 32 + ph.iota(32)[None, :]
    t = A[:, :].T
    ph.atomic_add(A[:, :], t)
    O[:, :] = A[:, :].T
    P[:, :] = ph.atomic_xchg(A[:, :], O[:, :] + 1)
"""
    a, o, p = (torch.zeros((32, 32), device="cuda", dtype=torch.int32) for _ in range(3))
    load_kernels(text).steps[1](a, o, p)
    torch.cuda.synchronize()
    first = torch.arange(1024, device="cuda", dtype=torch.int32).view(32, 32)
    summed = first + first.T
    assert torch.equal(o, summed)
    assert torch.equal(p, summed)
    assert torch.equal(a, summed + 1)
