"""@ph.persistent: each block of the grid runs once, as it would without, in whatever order and however few CTAs there are."""

from __future__ import annotations

import pytest

COUNT = """
@ph.kernel
@ph.launch(32){more}
def count(seen: ph.tensor[ph.i32][X, Y, Z], grid: ph.tensor[ph.i32][3]):
    x = ph.ctx.block.x
    y = ph.ctx.block.y
    z = ph.ctx.block.z
    seen[x:+1, y:+1, z:+1] = seen[x:+1, y:+1, z:+1] + 1
    if x + y + z == 0:
        grid[0:+1] = ph.ctx.grid.x
        grid[1:+1] = ph.ctx.grid.y
        grid[2:+1] = ph.ctx.grid.z
"""
GRIDS = [(1, 1, 1), (2, 3, 4), (7, 1, 5), (1, 9, 1), (13, 11, 1), (1, 1, 6), (600, 3, 2)]


ORDERS = ["", '(order="queue")']


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("swizzle", [0, 1, 3, 8])
@pytest.mark.parametrize("shape", GRIDS, ids=str)
def test_each_block_runs_once(shape, swizzle, order, torch, load_kernels):
    more = f"\n@ph.persistent{order}" + (f"\n@ph.swizzle({swizzle})" if swizzle else "")
    kernel = load_kernels(COUNT.format(more=more)).count
    seen = torch.zeros(shape, device="cuda", dtype=torch.int32)
    grid = torch.zeros(3, device="cuda", dtype=torch.int32)
    kernel[shape](seen, grid)
    assert bool((seen == 1).all()) and grid.tolist() == list(shape)


def test_a_grid_that_cannot_be_counted(torch, load_kernels):
    import phobos

    kernel = load_kernels(COUNT.format(more="\n@ph.persistent")).count
    seen, grid = torch.zeros((1, 1, 1), device="cuda", dtype=torch.int32), torch.zeros(3, device="cuda", dtype=torch.int32)
    with pytest.raises(phobos.LaunchError, match=r"grid of persistent kernel `count`: expected at most 21474\d+ blocks in all"):
        kernel[65535, 65535, 1](seen, grid)


SOFTMAX = """
@ph.kernel
@ph.launch(128)
@ph.persistent{order}
def softmax(A: ph.tensor[ph.f32][M, N], B: ph.tensor[ph.f32][M, N]):
    i = ph.ctx.block.x
    x = ph.load(A[i:+1, 0:+512], other=float("-inf"))
    e = ph.exp(x - ph.rowmax(x))
    B[i:+1, 0:+512] = e / ph.rowsum(e)
"""


@pytest.mark.parametrize("order", ORDERS)
def test_scratch_is_used_again(order, torch, load_kernels):
    """A reduction's shared memory, block after block."""
    a = torch.randn(700, 500, device="cuda")
    b = torch.empty_like(a)
    load_kernels(SOFTMAX.format(order=order)).softmax[700](a, b)
    assert torch.allclose(b.double(), torch.softmax(a.double(), 1), rtol=1e-5, atol=1e-9)


PRODUCT = """
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.persistent{order}
@ph.pipeline(stages={stages})
def matmul(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f32][M, N]):
    row: ph.let = ph.ctx.block.x * 64
    column: ph.let = ph.ctx.block.y * 64
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for k in range(0, K, 32):
        acc += ph.dot(A[row:+64, k:+32], B[k:+32, column:+64])
    C[row:+64, column:+64] = acc
"""


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("depth", [0, 32, 96, 200])
@pytest.mark.parametrize("stages", [2, 3, 4])
def test_product(stages, depth, order, torch, load_kernels):
    """Turns fewer and more than slots, and none: then the product is zeros."""
    a = torch.randn(300, depth, device="cuda").half()
    b = torch.randn(depth, 264, device="cuda").half()
    c = torch.full((300, 264), float("nan"), device="cuda")
    load_kernels(PRODUCT.format(stages=stages, order=order)).matmul[5, 5](a, b, c)
    assert torch.allclose(c.double(), a.double() @ b.double(), rtol=1e-4, atol=1e-4)


# A block waits as many turns as the first array says, then counts itself.
WORK = """
@ph.kernel
@ph.launch(128)
@ph.persistent(order="queue"){more}
def work(turns: ph.tensor[ph.i32][N], seen: ph.tensor[ph.i32][N], left: ph.tensor[ph.f32][N, 128]):
    i: ph.let = ph.ctx.block.x
    t: ph.var[ph.tile[ph.f32][128]] = 1.0
    for n in range(0, turns[i]):
        t = t * 0.5 + 1.0
    left[i, 0:+128] = t
    seen[i:+1] = seen[i:+1] + 1
"""


def uneven(torch, blocks: int, long: int):
    turns = torch.ones(blocks, device="cuda", dtype=torch.int32)
    turns[::17] = long
    return turns, torch.zeros(blocks, device="cuda", dtype=torch.int32), torch.zeros(blocks, 128, device="cuda")


@pytest.mark.parametrize("more", ["", "\n@ph.dependent"])
def test_launch_after_launch_begins_with_a_full_queue(more, torch, load_kernels):
    """The last draw of a launch puts the counter back, whatever grid it was of."""
    work = load_kernels(WORK.format(more=more)).work
    turns, seen, left = uneven(torch, 5000 if on_gpu(torch) else 60, 300 if on_gpu(torch) else 20)
    launches = [len(seen), 1, 7, len(seen), len(seen) - 1] * (20 if on_gpu(torch) else 1)
    want = torch.zeros_like(seen)
    for blocks in launches:
        work[blocks](turns, seen, left)
        want[:blocks] += 1
    assert torch.equal(seen, want)


def on_gpu(torch) -> bool:
    return torch.cuda.get_device_name() != "host simulator"


def test_streams_side_by_side(torch, load_kernels):
    """Each draws from its own counter."""
    if not hasattr(torch.cuda, "Stream"):
        pytest.skip("one stream here")
    work = load_kernels(WORK.format(more="")).work
    streams = [torch.cuda.Stream() for _ in range(6)]
    arrays = [uneven(torch, 2000 + 100 * i, 400) for i in range(len(streams))]
    torch.cuda.synchronize()
    for _ in range(50):
        for stream, (turns, seen, left) in zip(streams, arrays):
            with torch.cuda.stream(stream):
                work[len(seen)](turns, seen, left)
    torch.cuda.synchronize()
    assert all(bool((seen == 50).all()) for _, seen, _ in arrays)


def test_a_graph_beside_its_stream(torch, load_kernels):
    """Two recorded graphs, one with a fork, and the stream that they were recorded on, all at once."""
    if not hasattr(torch.cuda, "CUDAGraph"):
        pytest.skip("no CUDA graphs here")
    work = load_kernels(WORK.format(more="")).work
    arrays = [uneven(torch, 2000 + 100 * i, 400) for i in range(4)]
    recorded, beside, other = torch.cuda.Stream(), torch.cuda.Stream(), torch.cuda.Stream()
    work[1](*uneven(torch, 1, 1))  # compiled and loaded
    torch.cuda.synchronize()
    graphs = [torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()]
    with torch.cuda.graph(graphs[0], stream=recorded):
        for _ in range(3):
            work[len(arrays[0][1])](*arrays[0])
        beside.wait_stream(recorded)
        with torch.cuda.stream(beside):
            work[len(arrays[1][1])](*arrays[1])
        work[len(arrays[0][1])](*arrays[0])
        recorded.wait_stream(beside)
    with torch.cuda.graph(graphs[1], stream=recorded):
        work[len(arrays[2][1])](*arrays[2])
    for _ in range(30):
        with torch.cuda.stream(beside):
            graphs[0].replay()
        with torch.cuda.stream(other):
            graphs[1].replay()
        with torch.cuda.stream(recorded):
            work[len(arrays[3][1])](*arrays[3])
    torch.cuda.synchronize()
    assert [sorted(set(seen.tolist())) for _, seen, _ in arrays] == [[120], [30], [30], [30]]
