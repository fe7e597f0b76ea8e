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


def test_a_copy_may_not_store_part_of_16_bytes_at_the_end_of_a_row(load_kernels):
    """It would write behind it. The kernel is compiled for whole rows, then given a view that is narrower."""
    import numpy as np
    import phobos
    from lowered import Lowered

    text = """
@ph.kernel
@ph.launch(128)
@ph.tensorcore
def matmul(A: ph.tensor[ph.f16][M, K], B: ph.tensor[ph.f16][K, L], C: ph.tensor[ph.f16][M, N]):
    acc: ph.var[ph.tile[ph.f32][64, 64]] = 0.0
    for k in range(0, K, 64):
        acc += ph.dot(A[0:+64, k:+64], B[k:+64, 0:+64])
    C[0:+64, 0:+64] = acc
"""
    a, b, c = (np.zeros((64, 64), np.float16) for _ in range(3))
    lowered = Lowered(load_kernels(text).matmul, a, b, c, arch="sm_90a", grid=1)
    assert "cp.async.bulk.tensor.global.shared" in lowered.text
    lowered.run()
    for width in (56, 40):
        lowered.arguments = a, b, np.zeros((64, 64), np.float16)[:, :width]
        lowered.run()
    lowered.arguments = a, b, np.zeros((64, 64), np.float16)[:, :60]
    with pytest.raises(phobos.SimulationError, match="a bulk tensor copy stores past the end of a row of 60 elements, which are not whole 16 bytes"):
        lowered.run()
