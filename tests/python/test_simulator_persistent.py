"""The GPU's tests of persistent kernels on the simulator, as every kind of chip, with all checks."""

from __future__ import annotations

import pytest
from gpu.test_persistent import *  # noqa: F403 - its tests become this file's
from simulated import torch_on_host

torch = pytest.fixture(torch_on_host)


@pytest.fixture(autouse=True, params=["sm_75", "sm_80", "sm_90a"])
def checked(request):
    import phobos

    with phobos.sim(check="all", arch=request.param, seed=1):
        yield
