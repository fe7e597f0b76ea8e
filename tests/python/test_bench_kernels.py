"""The kernels that tools/bench times are right at ragged shapes too, on the simulator: all ways to compute a product, and the benchmarks of
kernels that wait for memory as wholes, but for the times."""

from __future__ import annotations

import importlib
import json
import runpy
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


# The benchmark, its options, and how many rows they give. Lengths take every way to a result, and fill their tiles or do not.
BANDWIDTH = {
    "softmax": (["--rows", "5", "--columns", "200", "1024", "9001"], 6),
    "norms": (["--rows", "150", "--columns", "72", "1000", "1024", "16390"], 22),
    "reductions": (["--rows", "150", "--columns", "300", "1024"], 16),
    "dropout": (["--powers", "17"], 1),
    "decode": (["--batches", "2", "--lengths", "300", "1024"], 2),
}


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("name", BANDWIDTH)
def test_a_benchmark_of_bandwidth(name, arch, torch, monkeypatch, tmp_path):
    """It checks what it times itself; here nothing is timed, and peers are left alone."""
    import phobos

    options, count = BANDWIDTH[name]
    monkeypatch.syspath_prepend(str(ROOT / "tools" / "bench"))
    for module in (name, "bandwidth", "common"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, "peers", None)  # as where there is no Triton
    benchmark, bandwidth = importlib.import_module(name), importlib.import_module("bandwidth")

    def compare(contestants, rounds: int) -> dict:
        names = list(contestants)
        assert names[0] == "phobos" and names[-1] == "copy" and rounds == 7
        for each in ("phobos", "copy"):
            contestants[each]()
        return {"ms": dict.fromkeys(names, 1.0), "ratio": {peer: dict.fromkeys(("median", "min", "max"), 1.0) for peer in names[1:]}}

    monkeypatch.setattr(bandwidth, "compare", compare)
    monkeypatch.setattr(phobos, "bench", lambda compute: compute() or 1.0)
    if name == "norms":
        monkeypatch.setattr(benchmark, "GROUPS", (4, 132))
    monkeypatch.setattr(sys, "argv", [name, "--out", str(tmp_path), *options])
    with phobos.sim(arch=arch, check="all"):
        benchmark.main()
    result = json.loads((tmp_path / f"{name}.json").read_text())
    assert len(result["rows"]) == count and all(row["kernel"] in row["tried_ms"] for row in result["rows"])
    for module in (name, "bandwidth", "common"):
        sys.modules.pop(module, None)
    table = runpy.run_path(str(ROOT / "tools" / "docs"))["RESULT_TABLES"][result["benchmark"]](result)
    assert len(table) == count + 2 and len({line.count("|") for line in table}) == 1


@pytest.mark.parametrize("name", ["softmax_kernels", "norm_kernels", "reduction_kernels", "dropout", "decode_kernels"])
def test_kernels_of_bandwidth_spill_nothing(name, torch, monkeypatch, ptxas):
    """As they are compiled for no shape in particular, and with the first constants of their space."""
    monkeypatch.syspath_prepend(str(ROOT / "tools" / "bench"))
    module = importlib.import_module(name)
    kernels = [value for value in vars(module).values() if hasattr(value, "signature")]
    assert kernels
    for kernel in kernels:
        resources = kernel.compile(arch="sm_90a").resources
        assert resources.spill_store_bytes == resources.spill_load_bytes == 0, kernel
    for each in (name, "bandwidth", "common"):
        sys.modules.pop(each, None)
