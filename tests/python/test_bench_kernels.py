"""The kernels that tools/bench times are right at ragged shapes too: all ways to compute a product, on the simulator."""

from __future__ import annotations

import sys

import pytest
from conftest import ROOT
from simulated import torch_on_host

torch = pytest.fixture(torch_on_host)


@pytest.fixture
def bench(torch, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools" / "bench"))
    names = ("matmul_shapes", "half_kernels", "matmul", "kernels", "common")
    for name in names:  # as for a process of their own
        monkeypatch.delitem(sys.modules, name, raising=False)
    import matmul_shapes

    yield matmul_shapes
    for name in names:
        sys.modules.pop(name, None)


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("element", ["f16", "bf16"])
@pytest.mark.parametrize("shape", [(1, 200, 1000), (33, 136, 1032), (130, 264, 200), (67, 131, 133), (3, 72, 136, 200)], ids=str)
def test_every_way_to_a_product(shape, element, arch, bench, torch):
    import phobos

    *batch, m, n, k = shape
    dtype, tolerance = bench.DTYPES[element]
    torch.manual_seed(0)
    a, b = ((torch.rand(*batch, *extents) - 0.5).to(dtype) for extents in ((m, k), (k, n)))
    c = torch.empty(*batch, m, n, dtype=dtype)
    with phobos.sim(arch=arch, check="all"):
        for name, (compute, _) in bench.candidates(bench.half_kernels.of(element), a, b, c).items():
            c.fill_(float("nan"))
            compute()
            bench.check(name, c, a, b, tolerance)
