"""The GPU's tests of docs/cases.md, on the simulator of two chips with every check."""

from __future__ import annotations

import pytest
from gpu.test_cases_numbers import *  # noqa: F403 - its tests become this file's
from gpu.test_cases_order import *  # noqa: F403
from gpu.test_cases_shapes import *  # noqa: F403
from simulated import torch_on_host

torch = pytest.fixture(torch_on_host)


@pytest.fixture(autouse=True, params=[80, 90])
def chip(request):
    import phobos

    with phobos.sim(check="all", seed=1, arch={80: "sm_80", 90: "sm_90a"}[request.param]):
        yield request.param


@pytest.fixture
def times():
    return 2
