"""The GPU's tests of barriers of the grid on the simulator, with all checks; and what those find where a barrier is missing."""

from __future__ import annotations

import pytest
from gpu.test_grid_barrier import *  # noqa: F403 - its tests become this file's
from gpu.test_grid_barrier import DIFFUSE
from simulated import torch_on_host

torch = pytest.fixture(torch_on_host)


@pytest.fixture(autouse=True, params=["sm_80", "sm_90a"])
def checked(request):
    import phobos

    with phobos.sim(check="all", arch=request.param, seed=1):
        yield


def test_without_the_barrier_it_is_a_race(load_kernels, torch):
    import phobos

    u = torch.zeros((2, 20 * 128), device="cuda")
    without = load_kernels(DIFFUSE.replace("ph.grid_barrier()", "pass")).diffuse
    with pytest.raises(phobos.SimulationError, match="data race in `U`"):
        without[20](u, 4)
