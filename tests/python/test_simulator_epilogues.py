"""The GPU's tests of fused epilogues on the simulator with all checks: after wgmma on sm_90a, after mma.sync on older chips."""

from __future__ import annotations

import gpu.test_epilogues as epilogues
import pytest
from gpu.test_epilogues import *  # noqa: F403 - its tests become this file's
from simulated import torch_on_host

torch = pytest.fixture(torch_on_host)


@pytest.fixture(autouse=True, params=["sm_80", "sm_90a"])
def checked(request, monkeypatch):
    import phobos

    if request.param != "sm_90a":
        monkeypatch.setattr(epilogues, "SHAPES", epilogues.SHAPES[2:])
    with phobos.sim(check="all", arch=request.param, seed=1):
        yield
