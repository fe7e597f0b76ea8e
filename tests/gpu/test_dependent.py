"""@ph.dependent: a kernel that starts beside the end of the one before it sees all that it wrote, and disturbs nothing that it reads."""

from __future__ import annotations

import pytest

# Blocks of very different length, so that the next kernel's first blocks begin long before the last ones here end; a chain reads what the
# kernel before wrote (the neighbour's, in reverse order) and overwrites what it read.
CHAIN = """
@ph.kernel
@ph.launch(128){more}
def step(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N]):
    block: ph.let = ph.ctx.grid.x - 1 - ph.ctx.block.x
    t: ph.var = x[block * 512:+512]
    for i in range(0, 1 + block % 7 * 20):
        t = t * 0.5 + 1.0
    y[(block * 512 + 128) % (N - 512):+512] = t
"""
PRODUCT = """
@ph.kernel
@ph.launch(128)
@ph.tensorcore
@ph.pipeline(stages=3){more}
def product(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, N], C: ph.tensor[ph.f16][M, N]):
    row: ph.let = ph.ctx.block.x * 64
    column: ph.let = ph.ctx.block.y * 64
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0
    for k in range(0, K, 64):
        acc += ph.dot(A[row:+64, k:+64], B[k:+64, column:+64])
    C[row:+64, column:+64] = acc
"""
WAYS = ["", "\n@ph.persistent"]


def chain(torch, kernel, turns: int):
    """The arrays after so many launches back and forth."""
    x = torch.arange(512 * 40, device="cuda", dtype=torch.float32)
    y = torch.zeros_like(x)
    for turn in range(turns):
        kernel[39]((x, y)[turn % 2], (y, x)[turn % 2])
    torch.cuda.synchronize()
    return x, y


@pytest.mark.parametrize("more", WAYS)
def test_a_chain_is_as_in_order(more, torch, load_kernels):
    turns = 200 if torch.cuda.get_device_name() != "host simulator" else 4
    want = chain(torch, load_kernels(CHAIN.format(more=more)).step, turns)
    got = chain(torch, load_kernels(CHAIN.format(more=more + "\n@ph.dependent")).step, turns)
    assert all(torch.equal(x, y) for x, y in zip(got, want))


def powers(torch, kernel, a, turns: int):
    """a, a², a³ …, in two buffers that take turns."""
    x, y = a.clone(), torch.empty_like(a)
    for turn in range(turns):
        kernel[a.shape[0] // 64, a.shape[1] // 64]((x, y)[turn % 2], a, (y, x)[turn % 2])
    torch.cuda.synchronize()
    return x, y


@pytest.mark.parametrize("more", WAYS)
def test_products_of_products(more, torch, load_kernels):
    """Operands by the copy engine, and a result that leaves by it."""
    host = torch.cuda.get_device_name() == "host simulator"
    extent, turns = (128, 3) if host else (512, 50)
    generator = torch.Generator("cuda").manual_seed(0)
    a = (torch.randn(extent, extent, device="cuda", generator=generator) / extent**0.5).half()
    want = powers(torch, load_kernels(PRODUCT.format(more=more)).product, a, turns)
    got = powers(torch, load_kernels(PRODUCT.format(more=more + "\n@ph.dependent")).product, a, turns)
    assert all(torch.equal(x, y) for x, y in zip(got, want))


def test_between_kernels_of_others(torch, load_kernels):
    """Which know nothing of it: they neither let it begin early nor wait themselves."""
    step = load_kernels(CHAIN.format(more="\n@ph.dependent")).step
    plain = load_kernels(CHAIN.format(more="")).step
    x = torch.arange(512 * 40, device="cuda", dtype=torch.float32)
    y, want = torch.zeros_like(x), torch.zeros_like(x)
    for turn in range(20 if torch.cuda.get_device_name() != "host simulator" else 2):
        x.add_(1)
        step[39](x, y)
        step[39](y, x)
        x.mul_(0.5)
        expected = x.clone()
        plain[39](expected, want)
        step[39](x, y)
    assert torch.equal(y[128:-512], want[128:-512])


def test_a_graph(torch, load_kernels):
    """Captured, the launches are joined by edges that say the same."""
    if not hasattr(torch.cuda, "CUDAGraph"):
        pytest.skip("no CUDA graphs here")
    step = load_kernels(CHAIN.format(more="\n@ph.dependent")).step
    x = torch.arange(512 * 40, device="cuda", dtype=torch.float32)
    y = torch.zeros_like(x)
    start = x.clone(), y.clone()
    step[39](x, y)  # compiled and loaded
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        x.copy_(start[0])  # the first comes after copies, which are no kernels
        y.copy_(start[1])
        for turn in range(20):
            step[39]((x, y)[turn % 2], (y, x)[turn % 2])
    for _ in range(5):
        graph.replay()
    torch.cuda.synchronize()
    want = chain(torch, load_kernels(CHAIN.format(more="")).step, 20)
    assert torch.equal(x, want[0]) and torch.equal(y, want[1])


def test_the_compiled_code_asks_for_it(torch, load_kernels):
    step = load_kernels(CHAIN.format(more="\n@ph.dependent")).step
    x = torch.zeros(512 * 40, device="cuda", dtype=torch.float32)
    for chip, dependent in (("sm_80", False), ("sm_90a", True), ("sm_120a", True)):
        compiled = step.compile(x, x, arch=chip)
        assert compiled.contract["dependent"] == dependent
        assert ("griddepcontrol.wait" in compiled.ptx) == ("griddepcontrol.launch_dependents" in compiled.ptx) == dependent
