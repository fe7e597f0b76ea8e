"""@ph.cluster: blocks that share copies compute what they would alone, whichever operand is shared and by how many."""

from __future__ import annotations

import pytest

PRODUCT = """
@ph.kernel
@ph.launch({threads})
@ph.tensorcore
@ph.pipeline(stages={stages}){more}
def product(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][{dims}], C: ph.tensor[ph.{out}][M, N]):
    row: ph.let = ph.ctx.block.x * {m}
    column: ph.let = ph.ctx.block.y * {n}
    acc: ph.var[ph.tile[ph.f32][{m}, {n}]] = 0
    for k in range(0, K, {k}):
        acc += {product}
    C[row:+{m}, column:+{n}] = acc
"""
# threads, stages, tile, is B transposed
VARIANTS = [(128, 3, (64, 64, 64), False), (128, 4, (64, 128, 32), False), (256, 3, (128, 128, 64), True), (256, 2, (128, 256, 64), False)]
CLUSTERS = [(2, 1), (1, 2), (2, 2), (4, 1), (1, 4), (3, 1), (4, 2)]


def on_gpu(torch) -> bool:
    return torch.cuda.get_device_name() != "host simulator"


def extents(torch, variant, cluster):
    """Whole clusters of blocks, whole and ragged tiles, turns fewer and more than slots."""
    m, n, k = variant[2]
    repeats = ((1, 1), (3, 5)) if on_gpu(torch) else ((1, 1),)
    for x, y in repeats:
        rows, columns = m * cluster[0] * x, n * cluster[1] * y
        yield rows, columns, 5 * k
        yield rows - 8, columns - 16, 2 * k + 8
        yield rows, columns, k


def make(load_kernels, variant, more: str, out: str = "f16"):
    threads, stages, (m, n, k), transposed = variant
    left = f"A[row:+{m}, k:+{k}]"
    product = f"ph.dot_t({left}, B[column:+{n}, k:+{k}])" if transposed else f"ph.dot({left}, B[k:+{k}, column:+{n}])"
    source = PRODUCT.format(threads=threads, stages=stages, dims="N, K" if transposed else "K, N", out=out, m=m, n=n, k=k, product=product, more=more)
    return load_kernels(source).product


@pytest.mark.parametrize("cluster", CLUSTERS, ids=str)
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_product(variant, cluster, torch, load_kernels):
    """The very bits of the kernel without clusters."""
    (m, n, _), transposed = variant[2:]
    shared, alone = make(load_kernels, variant, f"\n@ph.cluster{cluster}"), make(load_kernels, variant, "")
    for rows, columns, depth in extents(torch, variant, cluster):
        a, b = torch.randn(rows, depth, device="cuda").half(), torch.randn(depth, columns, device="cuda").half()
        b = b.t().contiguous() if transposed else b
        got, want = torch.full((rows, columns), -7, device="cuda", dtype=torch.float16), torch.empty(rows, columns, device="cuda", dtype=torch.float16)
        grid = -(-rows // m // cluster[0]) * cluster[0], -(-columns // n // cluster[1]) * cluster[1]
        for _ in range(20 if on_gpu(torch) else 1):
            shared[grid](a, b, got)
        alone[grid](a, b, want)
        assert torch.equal(got, want), (rows, columns, depth)
    if torch.cuda.get_device_capability() == (9, 0):
        assert "multicast::cluster" in shared.compile(a, b, got, arch="sm_90a").ptx


def test_beside_the_kernel_before(torch, load_kernels):
    """The decorators together: a chain of products, each of the one before."""
    variant, cluster = VARIANTS[0], (2, 2)
    alone, shared = make(load_kernels, variant, ""), make(load_kernels, variant, f"\n@ph.dependent\n@ph.cluster{cluster}")
    extent, turns = (512, 40) if on_gpu(torch) else (128, 2)
    a = (torch.randn(extent, extent, device="cuda") / extent**0.5).half()

    def powers(kernel):
        x, y = a.clone(), torch.empty_like(a)
        for turn in range(turns):
            kernel[extent // 64, extent // 64]((x, y)[turn % 2], a, (y, x)[turn % 2])
        torch.cuda.synchronize()
        return x, y

    assert all(torch.equal(x, y) for x, y in zip(powers(shared), powers(alone)))


def test_grouped(torch, load_kernels):
    """Clusters move as a whole under @ph.swizzle, and share what they shared."""
    variant = VARIANTS[1]
    m, n, k = variant[2]
    alone = make(load_kernels, variant, "\n@ph.swizzle(4)")
    for cluster in ((2, 1), (2, 2), (4, 1)):
        shared = make(load_kernels, variant, f"\n@ph.cluster{cluster}\n@ph.swizzle(4)")
        rows, columns, depth = 4 * 3 * m, 2 * n, 3 * k
        a, b = torch.randn(rows, depth, device="cuda").half(), torch.randn(depth, columns, device="cuda").half()
        got, want = torch.empty(rows, columns, device="cuda", dtype=torch.float16), torch.empty(rows, columns, device="cuda", dtype=torch.float16)
        shared[12, 2](a, b, got)
        alone[12, 2](a, b, want)
        assert torch.equal(got, want)
        if torch.cuda.get_device_capability() == (9, 0):
            assert "multicast::cluster" in shared.compile(a, b, got, arch="sm_90a").ptx


WHO = """
@ph.kernel
@ph.launch(32)
@ph.cluster(2, 3){more}
def who(seen: ph.tensor[ph.i32][X, Y, Z]):
    seen[ph.ctx.block.x:+1, ph.ctx.block.y:+1, ph.ctx.block.z:+1] = ph.ctx.block.x + 100 * ph.ctx.block.y + 10000 * ph.ctx.block.z
"""


def test_blocks_keep_their_numbers(torch, load_kernels):
    seen = torch.zeros(4, 9, 5, device="cuda", dtype=torch.int32)
    load_kernels(WHO.format(more="")).who[4, 9, 5](seen)
    x, y, z = torch.meshgrid(*(torch.arange(n, device="cuda", dtype=torch.int32) for n in seen.shape), indexing="ij")
    assert torch.equal(seen, x + 100 * y + 10000 * z)


@pytest.mark.parametrize("group", [2, 4, 6])
@pytest.mark.parametrize("shape", [(2, 3, 1), (4, 9, 5), (10, 3, 2), (14, 12, 1)], ids=str)
def test_each_block_runs_once_in_grouped_order(shape, group, torch, load_kernels):
    count = load_kernels(WHO.format(more=f"\n@ph.swizzle({group})").replace("= ph.ctx.block.x + 100 * ph.ctx.block.y", "+= 1 + 0 * ph.ctx.block.y")).who
    seen = torch.zeros(shape, device="cuda", dtype=torch.int32)
    count[shape](seen)
    z = torch.arange(shape[2], device="cuda", dtype=torch.int32)
    assert torch.equal(seen, (1 + 10000 * z).expand(shape))


@pytest.mark.parametrize("cluster", ["@ph.cluster(2, 3)", "@ph.cluster(4)", ""])
def test_places_in_a_cluster(cluster, torch, load_kernels):
    text = WHO.replace("@ph.cluster(2, 3){more}", cluster).split("    seen[")[0]
    at = "ph.ctx.block.x, ph.ctx.block.y, ph.ctx.block.z"
    seen = torch.zeros(4, 9, 2, device="cuda", dtype=torch.int32)
    load_kernels(text + f"    seen[{at}] = ph.ctx.cluster.x + 100 * ph.ctx.cluster.y\n").who[4, 9, 2](seen)
    torch.cuda.synchronize()
    width, height = {"@ph.cluster(2, 3)": (2, 3), "@ph.cluster(4)": (4, 1), "": (1, 1)}[cluster]
    x, y = (torch.arange(n, device="cuda", dtype=torch.int32) % of for n, of in ((4, width), (9, height)))
    assert torch.equal(seen, (x[:, None] + 100 * y).unsqueeze(-1).expand(4, 9, 2))


def test_a_grid_that_is_not_whole_clusters(torch, load_kernels):
    import phobos

    who = load_kernels(WHO.format(more="")).who
    seen = torch.zeros(4, 9, 5, device="cuda", dtype=torch.int32)
    with pytest.raises(phobos.LaunchError, match="grid of kernel `who`: expected a multiple of 3 blocks along y, which `@ph.cluster` asks for, got 8"):
        who[4, 8, 5](seen)
    with pytest.raises(phobos.LaunchError, match="expected a multiple of 2 blocks along x"):
        who[3, 9](seen)
