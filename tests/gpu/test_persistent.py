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


@pytest.mark.parametrize("swizzle", [0, 1, 3, 8])
@pytest.mark.parametrize("shape", GRIDS, ids=str)
def test_each_block_runs_once(shape, swizzle, torch, load_kernels):
    more = "\n@ph.persistent" + (f"\n@ph.swizzle({swizzle})" if swizzle else "")
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
@ph.persistent
def softmax(A: ph.tensor[ph.f32][M, N], B: ph.tensor[ph.f32][M, N]):
    i = ph.ctx.block.x
    x = ph.load(A[i:+1, 0:+512], other=float("-inf"))
    e = ph.exp(x - ph.rowmax(x))
    B[i:+1, 0:+512] = e / ph.rowsum(e)
"""


def test_scratch_is_used_again(torch, load_kernels):
    """A reduction's shared memory, block after block."""
    a = torch.randn(700, 500, device="cuda")
    b = torch.empty_like(a)
    load_kernels(SOFTMAX).softmax[700](a, b)
    assert torch.allclose(b.double(), torch.softmax(a.double(), 1), rtol=1e-5, atol=1e-9)


PRODUCT = """
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.persistent
@ph.pipeline(stages={stages})
def matmul(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f32][M, N]):
    row: ph.let = ph.ctx.block.x * 64
    column: ph.let = ph.ctx.block.y * 64
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for k in range(0, K, 32):
        acc += ph.dot(A[row:+64, k:+32], B[k:+32, column:+64])
    C[row:+64, column:+64] = acc
"""


@pytest.mark.parametrize("depth", [0, 32, 96, 200])
@pytest.mark.parametrize("stages", [2, 3, 4])
def test_product(stages, depth, torch, load_kernels):
    """Turns fewer and more than slots, and none: then the product is zeros."""
    a = torch.randn(300, depth, device="cuda").half()
    b = torch.randn(depth, 264, device="cuda").half()
    c = torch.full((300, 264), float("nan"), device="cuda")
    load_kernels(PRODUCT.format(stages=stages)).matmul[5, 5](a, b, c)
    assert torch.allclose(c.double(), a.double() @ b.double(), rtol=1e-4, atol=1e-4)
