"""The GPU's tests of wgmma products on the simulator of sm_90a, with all checks: small shapes, the same tiles."""

from __future__ import annotations

import gpu.test_hopper as hopper
import pytest
from gpu.test_hopper import *  # noqa: F403 - its tests become this file's
from simulated import torch_on_host

torch = pytest.fixture(torch_on_host)


@pytest.fixture(autouse=True)
def wgmma(monkeypatch):  # instead of theirs, which asks the GPU
    import phobos

    monkeypatch.setattr(hopper, "shapes", lambda m, n, k: ((m, n, k), (m + 8, n + 8, 5 * k + 8)))
    with phobos.sim(check="all", arch="sm_90a", seed=1):
        yield


def test_a_copy_may_not_store_before_the_tensor(load_kernels):
    import numpy as np
    import phobos
    from lowered import Lowered

    kernels = load_kernels(hopper.BEFORE.replace(" - 1", ""))
    a, b, c, d = (np.zeros(shape, np.float16) for shape in ((128, 64), (64, 64), (128, 64), (2, 128, 64)))
    lowered = Lowered(kernels.matmul, a, b, c, d, 0, arch="sm_90a", grid=2)
    lowered.run()
    row = next(line for line in lowered.text.splitlines() if "cp.async.bulk.tensor.global.shared" in line)
    places = row.split("box[")[1].split("]")[0]
    before = row.replace(f"box[{places}]", f"box[{places.split(', ')[0]}, %before]")
    mutated = lowered.text.replace(row, f"%before = llvm.mlir.constant(-3 : i32) : i32\n{before}", 1)
    with pytest.raises(phobos.SimulationError, match="illegal instruction: a bulk tensor copy stores to place -3 along dimension 1 of its map"):
        lowered.run(mutated)
