"""The GPU's tests of loops with several products on the simulator of sm_90a, with all checks."""

from __future__ import annotations

import pytest
from gpu.test_chained_products import *  # noqa: F403 - its tests become this file's
from simulated import torch_on_host

torch = pytest.fixture(torch_on_host)


@pytest.fixture(autouse=True)
def wgmma():  # instead of theirs, which asks the GPU
    import phobos

    with phobos.sim(check="all", arch="sm_90a", seed=1):
        yield
