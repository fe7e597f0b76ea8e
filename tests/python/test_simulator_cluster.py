"""The GPU's tests of clusters on the simulator, as a chip that has them and one that has not, with all checks."""

from __future__ import annotations

import pytest
from gpu.test_cluster import *  # noqa: F403 - its tests become this file's
from simulated import torch_on_host

torch = pytest.fixture(torch_on_host)


@pytest.fixture(autouse=True, params=["sm_80", "sm_90a"])
def checked(request, torch, monkeypatch):
    import phobos

    capability = (9, 0) if request.param == "sm_90a" else (8, 0)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda: capability, raising=False)
    with phobos.sim(check="all", arch=request.param, seed=1):
        yield
