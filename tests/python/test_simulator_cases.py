"""The GPU's tests of docs/cases.md, on the simulator with every check."""

from __future__ import annotations

import pytest
from gpu.test_cases_shapes import *  # noqa: F403 - its tests become this file's
from simulated import torch_on_host

torch = pytest.fixture(torch_on_host)


@pytest.fixture(autouse=True, params=["sm_80", "sm_90a"])
def checked(request):
    import phobos

    with phobos.sim(check="all", arch=request.param):
        yield
