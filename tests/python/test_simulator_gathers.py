"""The GPU's tests of gathers and scatters, on the simulator: the same kernels and the same references."""

from __future__ import annotations

import pytest
from gpu.test_gathers import *  # noqa: F403 - its tests become this file's
from simulated import torch_on_host

torch = pytest.fixture(torch_on_host)


@pytest.fixture(autouse=True)
def checked():
    import phobos

    with phobos.sim(check="all"):
        yield


def test_two_elements_at_one_place_are_a_race(load_kernels, torch):
    import phobos

    text = """
@ph.kernel
@ph.launch(64)
def store(I: ph.tensor[ph.i32][K], O: ph.tensor[ph.i32][N]):
    O[I[0:+64]] = ph.iota(64)
"""
    i, out = torch.arange(64, device="cuda").int(), torch.zeros(64, device="cuda", dtype=torch.int32)
    load_kernels(text).store[1](i, out)
    assert torch.equal(out, i)
    i[40] = 3
    with pytest.raises(phobos.SimulationError, match="data race in `O`: a write and an earlier write"):
        load_kernels(text).store[1](i, out)
