"""The GPU's tests of operands made on the way, on the simulator with all checks, for chips with and without cp.async and wgmma."""

from __future__ import annotations

import pytest
from gpu.test_prologues import *  # noqa: F403 - its tests become this file's
from simulated import torch_on_host

torch = pytest.fixture(torch_on_host)


@pytest.fixture(autouse=True, params=["sm_75", "sm_80", "sm_90a"])
def checked(request):
    import phobos

    with phobos.sim(check="all", arch=request.param, seed=1):
        yield
