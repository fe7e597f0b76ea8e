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
