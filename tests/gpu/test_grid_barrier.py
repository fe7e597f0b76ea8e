"""ph.grid_barrier: what every block of the grid wrote is there for all of them behind it, in one launch and from launch to launch."""

from __future__ import annotations

import pytest

SHARES = """
@ph.kernel
@ph.launch({threads})
def shares(X: ph.tensor[ph.f32][N], P: ph.tensor[ph.f32][B], Y: ph.tensor[ph.f32][N]):
    block = ph.ctx.block.x + ph.ctx.grid.x * (ph.ctx.block.y + ph.ctx.grid.y * ph.ctx.block.z)
    P[block] = ph.sum(X[block * 256:+256])
    ph.grid_barrier()
    Y[block * 256:+256] = X[block * 256:+256] / ph.sum(P[0:+64])
"""


@pytest.mark.parametrize("threads", [32, 256])
@pytest.mark.parametrize("grid", [1, 7, 64, (4, 3, 2), (1, 5)])
def test_every_block_sees_what_all_wrote(grid, threads, load_kernels, torch):
    """Three launches one after the other: each finds the counter as an odd number of barriers left it."""
    blocks = torch.Size(grid if isinstance(grid, tuple) else (grid,)).numel()
    torch.manual_seed(0)
    x = torch.rand(blocks * 256, device="cuda")
    shares = load_kernels(SHARES.format(threads=threads)).shares
    for _ in range(3):
        parts, y = torch.zeros(blocks, device="cuda"), torch.zeros_like(x)
        shares[grid](x, parts, y)
        torch.cuda.synchronize()
        assert torch.allclose(y, x / x.sum(), rtol=1e-5)


DIFFUSE = """
@ph.kernel
@ph.launch(128)
def diffuse(U: ph.tensor[ph.f32][2, N], rounds: ph.i32):
    start = ph.ctx.block.x * 128
    for turn in range(rounds):
        of = turn % 2
        U[1 - of, start:+128] = 0.25 * U[of, start - 1:+128] + 0.5 * U[of, start:+128] + 0.25 * U[of, start + 1:+128]
        ph.grid_barrier()
"""


@pytest.mark.parametrize("rounds", [1, 2, 25])
def test_turns_of_a_loop(rounds, load_kernels, torch):
    """Each turn reads what the neighbours wrote in the turn before, and overwrites what they read then."""
    torch.manual_seed(1)
    u = torch.rand((2, 20 * 128), device="cuda")
    want = u[0].double()
    for _ in range(rounds):
        wide = torch.nn.functional.pad(want, (1, 1))
        want = 0.25 * wide[:-2] + 0.5 * wide[1:-1] + 0.25 * wide[2:]
    load_kernels(DIFFUSE).diffuse[20](u, rounds)
    torch.cuda.synchronize()
    assert torch.allclose(u[rounds % 2].double(), want, atol=1e-6)


SQUARES = """
@ph.kernel
@ph.launch(128)
@ph.tensorcore
def powers(A: ph.tensor[ph.f16][3, 128, 128]):
    row = ph.ctx.block.x * 64
    for turn in range(2):
        acc: ph.var[ph.tile[ph.f32][64, 64]] = 0.0
        for k in range(0, 128, 32):
            acc += ph.dot(A[turn, row:+64, k:+32], A[turn, k:+32, ph.ctx.block.y * 64:+64])
        A[turn + 1, row:+64, ph.ctx.block.y * 64:+64] = acc
        ph.grid_barrier()
"""


def test_products_of_products(load_kernels, torch):
    """The copies of a product's operands begin behind the barrier, not a turn ahead of it."""
    torch.manual_seed(2)
    a = torch.zeros((3, 128, 128), device="cuda", dtype=torch.float16)
    a[0] = torch.randn((128, 128), device="cuda") / 12
    load_kernels(SQUARES).powers[2, 2](a)
    torch.cuda.synchronize()
    for turn in range(2):
        want = a[turn].double() @ a[turn].double()
        assert torch.allclose(a[turn + 1].double(), want, atol=2e-3)


UNTIL = """
@ph.kernel
@ph.launch(64)
def halve(X: ph.tensor[ph.f32][N], Most: ph.tensor[ph.i32][2], Turns: ph.tensor[ph.i32][1]):
    start = ph.ctx.block.x * 64
    turns: ph.var = 0
    again: ph.var = True
    while again:
        x = X[start:+64] / 2
        X[start:+64] = x
        ph.atomic_max(Most[turns % 2], ph.bitcast(ph.max(x), ph.i32))
        ph.grid_barrier()
        again = ph.bitcast(Most[turns % 2], ph.f32) > 1.0
        if ph.ctx.block.x == 0:
            Most[(turns + 1) % 2] = 0
        ph.grid_barrier()
        turns += 1
    if ph.ctx.block.x == 0:
        Turns[0] = turns
"""


def test_until_all_are_small(load_kernels, torch):
    """The end of the loop is decided by what all blocks read."""
    x = torch.arange(10 * 64, device="cuda").float()
    want, turns = x.clone(), 0
    while turns == 0 or want.max() > 1:
        want, turns = want / 2, turns + 1
    most, counted = torch.zeros(2, device="cuda", dtype=torch.int32), torch.zeros(1, device="cuda", dtype=torch.int32)
    load_kernels(UNTIL).halve[10](x, most, counted)
    torch.cuda.synchronize()
    assert counted.item() == turns
    assert torch.equal(x, want)


def test_more_blocks_than_the_device_holds(load_kernels, torch):
    import phobos

    blocks = 40000
    x, parts = torch.zeros(blocks * 256, device="cuda"), torch.zeros(blocks, device="cuda")
    with pytest.raises(phobos.LaunchError, match=rf"expected at most \d+ blocks, which the device holds at once, got {blocks}"):
        load_kernels(SHARES.format(threads=32)).shares[blocks](x, parts, x)


def test_streams_and_a_graph_side_by_side(load_kernels, torch):
    """Each launch counts in its own word."""
    if not hasattr(torch.cuda, "Stream"):
        pytest.skip("one stream here")
    diffuse = load_kernels(DIFFUSE).diffuse
    start = torch.rand((2, 20 * 128), device="cuda")
    want = start.clone()
    diffuse[20](want, 40)
    arrays = [start.clone() for _ in range(4)]
    streams = [torch.cuda.Stream() for _ in arrays]
    graph, recorded = torch.cuda.CUDAGraph(), start.clone()
    with torch.cuda.graph(graph):
        diffuse[20](recorded, 40)
    torch.cuda.synchronize()
    graph.replay()
    for stream, array in zip(streams, arrays, strict=True):
        with torch.cuda.stream(stream):
            diffuse[20](array, 40)
    torch.cuda.synchronize()
    for array in [*arrays, recorded]:
        assert torch.equal(array, want)
