"""Tensors and strides beyond 2^31 elements: on a GPU the whole tensor; on the simulator, whose memory is there when it is touched, its last rows.

The numbers are those of docs/cases.md.
"""

from __future__ import annotations

import re

import pytest

FILL = """
@ph.kernel
@ph.launch(256)
def fill(A: ph.tensor[ph.i8][M, N], first: ph.i32):
    row = (ph.ctx.block.x + first) * 64
    column = ph.ctx.block.y * 256
    A[row:+64, column:+256] = 7


@ph.kernel
@ph.launch(256)
def increment(A: ph.tensor[ph.i8][M, N], first: ph.i32):
    row = (ph.ctx.block.x + first) * 64
    column = ph.ctx.block.y * 256
    A[row:+64, column:+256] += 1
"""


@pytest.fixture
def room(torch):
    """zeros(dtype, *shape), where there is room for it; and whether all of it can be touched."""
    free, _ = torch.cuda.mem_get_info()
    if free < 40e9:
        pytest.skip("less than 40 GB of memory")
    return lambda dtype, *shape: torch.zeros(shape, dtype=dtype, device="cuda"), True


def test_case_01_the_last_rows_of_a_large_matrix(room, load_kernels, torch):
    zeros, everything = room
    m, n = 2**15 + 16, 2**16
    a = zeros(torch.int8, m, n)
    assert a.numel() == 2**31 + 2**20
    kernels = load_kernels(FILL)
    rows = -(-m // 64)
    first = 0 if everything else rows - 2
    kernels.fill[rows - first, n // 256](a, first)
    kernels.increment[rows - first, n // 256](a, first)
    assert bool((a[first * 64 :] == 8).all())
    assert first == 0 or bool((a[first * 64 - 64 : first * 64] == 0).all())
    assert bool((a[0] == (0 if first else 8)).all())


def test_case_01_offsets_are_multiplied_in_64_bits(load_kernels, torch):
    """Whatever the extents are, so that a kernel for small tensors is right for large ones; one element is enough to run it."""
    kernel = load_kernels(FILL).fill
    for extents in ((64, 64), (63, 67)):
        compiled = kernel.compile(torch.zeros(extents, dtype=torch.int8, device="cuda"), 0, arch="sm_80")
        (stride,) = [
            at for at, parameter in enumerate(compiled.contract["parameters"]) if parameter["kind"] == "stride"
        ]
        assert re.search(rf"llvm\.mul %\d+, %arg{stride} : i64", compiled.ir["nvvm"])
        assert not re.search(rf"%arg{stride} : i32|llvm\.trunc %arg{stride} ", compiled.ir["nvvm"])
    one = torch.zeros(1, dtype=torch.int8, device="cuda")
    kernel[2, 2](torch.as_strided(one, (1, 1), (2**31 + 1, 1)), 0)
    assert one.tolist() == [7]


FAR = """
@ph.kernel
@ph.launch(64)
def far(A: ph.tensor[ph.i32][N], O: ph.tensor[ph.i32][64], S: ph.tensor[ph.i32][4], a: ph.i64, b: ph.u32, c: ph.u64, d: ph.i32):
    O[:] = ph.load(A[a:+64], other=-1)
    S[0] = ph.load(A[a], other=-1)
    S[1] = ph.load(A[b], other=-1)
    S[2] = ph.load(A[c], other=-1)
    S[3] = ph.load(A[d], other=-1)
    A[a:+64] = 1000
    A[b] = 1001
    A[c] = 1002
    A[d] = 1003
"""
PLACES = [
    (2**32, 2**31, 2**32, -(2**31)),
    (2**32 + 5, 2**32 - 1, 2**64 - 1, -1),
    (-(2**32) + 3, 2**31 + 7, 2**63, 2**31 - 1),
]
PLACES += [(2**33 - 2, 100, 2**40 + 1, 100), (98, 97, 96, 95)]


@pytest.mark.parametrize("places", PLACES, ids=str)
def test_case_01_places_beyond_32_bits_lie_outside(places, load_kernels, torch):
    """Of a small tensor, whose indices have 32 bits: a start is not cut off."""
    a = torch.arange(100, device="cuda", dtype=torch.int32)
    row, single = (
        torch.full((64,), 77, device="cuda", dtype=torch.int32),
        torch.full((4,), 77, device="cuda", dtype=torch.int32),
    )
    load_kernels(FAR).far[1](a, row, single, *places)
    at = places[0]
    assert row.tolist() == [i if 0 <= i < 100 else -1 for i in range(at, at + 64)]
    assert single.tolist() == [i if 0 <= i < 100 else -1 for i in places]
    want = list(range(100))
    if 0 <= at < 100:
        want[at:] = [1000] * (100 - at)
    for value, i in enumerate(places[1:], 1001):
        if 0 <= i < 100:
            want[i] = value
    assert a.tolist() == want


READ = """
@ph.kernel
@ph.launch(128)
def read(A: ph.tensor[ph.i32][N], O: ph.tensor[ph.i32][3, 256], start: ph.i64):
    O[0, :] = ph.load(A[start:+256], other=-1)
    O[1, :] = ph.load(A[N - 5:+256], other=-1)
    O[2, 0] = A[start]
    O[2, 1] = A[N - 1]
    O[2, 2] = ph.i32(N // 2)
"""


@pytest.mark.parametrize("n", [2**31 - 1, 2**31, 2**31 + 5, 2**33 + 1])
def test_case_04_a_dimension_beyond_32_bits(n, load_kernels, torch):
    one = torch.full((1,), 9, dtype=torch.int32, device="cuda")
    a = torch.as_strided(one, (n,), (0,))
    got = torch.full((3, 256), 77, dtype=torch.int32, device="cuda")
    load_kernels(READ).read[1](a, got, n - 100)
    assert got[0].tolist() == [9] * 100 + [-1] * 156
    assert got[1].tolist() == [9] * 5 + [-1] * 251
    assert got[2, :2].tolist() == [9, 9] and got[2, 2] == (n // 2 + 2**31) % 2**32 - 2**31


STEPS = """
@ph.kernel
@ph.launch(32)
def forwards(A: ph.tensor[ph.i8][N], O: ph.tensor[ph.i32][2], step: ph.i32):
    turns: ph.var = 0
    last: ph.var = 0
    for i in range(0, N, step):
        turns += 1
        last = i
        if turns > 9:
            break
    O[0] = turns
    O[1] = last


@ph.kernel
@ph.launch(32)
def backwards(A: ph.tensor[ph.i8][N], O: ph.tensor[ph.i32][2], step: ph.i32):
    turns: ph.var = 0
    last: ph.var = 0
    for i in range(N - 1, -1, -(1 << 30)):
        turns += 1
        last = i
        if turns > 9:
            break
    O[0] = turns
    O[1] = last
"""
LOOPS = [("forwards", 2**31 - 2**20 - 1, 2**20), ("forwards", 2**31 + 2**29, 2**30), ("backwards", 2**31 + 5, -(2**30))]
LOOPS += [("forwards", 2**31 - 2**21, 2**29), ("backwards", 2**31 - 2**21, -(2**30))]


@pytest.mark.parametrize("name,n,step", LOOPS)
def test_case_04_a_loop_whose_last_step_passes_the_end(name, n, step, load_kernels, torch):
    a = torch.as_strided(torch.zeros(1, dtype=torch.int8, device="cuda"), (n,), (0,))
    got = torch.zeros(2, dtype=torch.int32, device="cuda")
    getattr(load_kernels(STEPS), name)[1](a, got, step)
    turns = list(range(0, n, step) if step > 0 else range(n - 1, -1, step))[:10]
    assert got.tolist() == [len(turns), (turns[-1] + 2**31) % 2**32 - 2**31]


COPY = """
@ph.kernel
@ph.launch(128)
def copy(A: ph.tensor[ph.{dtype}][M, N], B: ph.tensor[ph.{dtype}][M, N]):
    i = ph.ctx.block.x * 4
    B[i:+4, 0:+64] = A[i:+4, 0:+64]


@ph.kernel
@ph.launch(128)
def last(A: ph.tensor[ph.{dtype}][N], start: ph.i64):
    A[start:+64] = ph.iota(64)
"""


def test_case_04_strides_and_a_dimension_of_real_memory(room, load_kernels, torch):
    zeros, _ = room
    whole = zeros(torch.int8, 2**32 + 2**20)
    pitch = 2**31 + 3
    a = torch.as_strided(whole, (2, 50), (pitch, 1))
    a.copy_(torch.arange(100, device="cuda").view(2, 50))
    b = torch.full((2, 50), 77, dtype=torch.int8, device="cuda")
    kernels = load_kernels(COPY.format(dtype="i8"))
    kernels.copy[1](a, b)
    assert torch.equal(b, a) and whole[pitch + 49] == 99
    kernels.copy[1](b + 1, a)
    assert torch.equal(a, b + 1)
    a.zero_()
    n = 2**31 + 5
    kernels.last[1](whole[:n], n - 10)
    assert whole[n - 10 : n + 60].tolist() == [*range(10), *[0] * 60]


SHEAR = """
@ph.kernel
@ph.launch(128)
@ph.tensorcore
def swapped(A: ph.tensor[ph.bf16][M, L, 2, H], B: ph.tensor[ph.bf16][M, L, 2, H]):
    m = ph.ctx.block.x
    row = ph.ctx.block.y * 4
    left, right = A[m, row:+4, 0, 0:+64], A[m, row:+4, 1, 0:+64]
    both = ph.cat(right, left, 1)
    x, y = ph.split(ph.transpose(ph.reshape(both, 4, 2, 64), 0, 2, 1))
    B[m, row:+4, 0, 0:+64] = x
    B[m, row:+4, 1, 0:+64] = y


@ph.kernel
@ph.launch(128)
@ph.tensorcore
def product(A: ph.tensor[ph.bf16][M, K], B: ph.tensor[ph.bf16][K, N], C: ph.tensor[ph.f32][M, N]):
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for k in range(0, K, 64):
        acc += ph.dot(A[0:+64, k:+64], B[k:+64, 0:+64])
    C[0:+64, 0:+64] = acc
"""


def test_case_02_copies_and_products_of_rows_far_apart(room, load_kernels, torch):
    zeros, _ = room
    pitch, rows = 2**26, 64  # 2^32 elements from the first row to behind the last
    whole = zeros(torch.bfloat16, rows * pitch)
    kernels = load_kernels(SHEAR)
    a = torch.as_strided(whole, (rows, 8, 2, 64), (pitch, 128, 64, 1))
    a.copy_((torch.arange(rows * 1024, device="cuda") % 251).view(rows, 8, 2, 64))
    b = torch.full((rows, 8, 2, 64), 77.0, device="cuda").bfloat16()
    kernels.swapped[rows, 2](a, b)
    assert torch.equal(b, a.flip(2))
    a = torch.as_strided(whole, (rows, 128), (pitch, 1))
    a.copy_((torch.arange(rows * 128, device="cuda") % 7).view(rows, 128))
    b = (torch.arange(128 * 64, device="cuda") % 5).view(128, 64).bfloat16()
    c = torch.full((64, 64), 77.0, device="cuda")
    kernels.product[1](a, b, c)
    assert torch.equal(c, a.float() @ b.float())
