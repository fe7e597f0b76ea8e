"""The configurations that docs/results records, assembled for sm_90a: ptxas serialises no wgmma (it would warn with a C75xx or C76xx) and
spills nothing."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT, import_file

pytestmark = pytest.mark.ptx

BENCH = ROOT / "tools" / "bench"
TYPES = {
    "tf32": "matmul_tf32", "int8": "matmul_i8", "e4m3": "matmul_f8", "e4m3, promoted": "matmul_f8_promoted", "f32 by tf32x3": "matmul_tf32x3",
    "f32 by bf16x3": "matmul_bf16x3",
}  # fmt: skip
FUSED = {"bias and gelu": "matmul_f16_bias_gelu", "residual": "matmul_f16_residual", "batch of 16": "matmul_f16_batched"}


def recorded() -> dict[tuple[str, str, tuple], dict[str, int]]:
    """By file, kernel and constants: the dims of a product so computed."""
    found = {}
    for name in ("matmul", "matmul_types", "matmul_fused", "matmul_shapes"):
        for row in json.loads((ROOT / "docs" / "results" / f"{name}.json").read_text())["rows"]:
            file = {"matmul_fused": "fused_kernels", "matmul_shapes": "half_kernels"}.get(name, "kernels")
            kernel = TYPES[row["dtype"]] if name == "matmul_types" else FUSED[row["case"]] if name == "matmul_fused" else row["kernel"]
            if "as written" in row.get("dtype", ""):
                continue  # a tutorial's: test_tutorials_assemble
            kernel = re.match(r"\w+", kernel).group()
            dims = {"M": row.get("m", row.get("size")), "N": row.get("n", row.get("size")), "K": row.get("k", row.get("size")), "L": row.get("batch", 1)}
            found[file, kernel, tuple(row["best"].items())] = dims
    return found


def array(parameter: dict, dims: dict[str, int]):
    """Rows as long as they are, a multiple of 16 bytes apart: what the benchmark copies where they are not."""
    shape = [dims.get(dim, dim) for dim in parameter["dims"]]
    dtype = {"f16": np.float16, "f32": np.float32}[parameter["dtype"]]
    return np.empty((*shape[:-1], -(-shape[-1] // 8) * 8), dtype)[..., : shape[-1]]


@pytest.fixture(scope="module", params=["kernels", "fused_kernels", "half_kernels"])
def benchmark(request):
    pytest.importorskip("torch")
    sys.path.insert(0, str(BENCH))
    yield request.param, import_file(BENCH / f"{request.param}.py")
    sys.path.remove(str(BENCH))


def test_nothing_is_serialised_or_spilled(benchmark, ptxas, tmp_path):
    file, module = benchmark
    configurations = {key: dims for key, dims in recorded().items() if key[0] == file}
    assert len(configurations) > 3
    for (_, name, best), dims in configurations.items():
        kernel = getattr(module, name)
        arrays = []
        if file == "half_kernels":  # what the copy engine can reach is known at the launch
            arrays = [array(parameter, dims) for parameter in kernel.signature["parameters"]]
        ptx = tmp_path / "kernel.ptx"
        ptx.write_text(kernel.compile(*arrays, arch="sm_90a", **dict(best)).ptx)
        assembled = subprocess.run([ptxas, "-v", "-arch=sm_90a", "-o", str(tmp_path / "x.cubin"), str(ptx)], capture_output=True, text=True)
        said = assembled.stdout + assembled.stderr
        assert assembled.returncode == 0 and "(C7" not in said, (name, best, said)
        assert re.findall(r"([1-9]\d*) bytes spill", said) == [], (name, best, said)
        assert "wgmma" in ptx.read_text() or "f32" in name or "3" in name or dims["M"] < 64, (name, best)
