"""The GPU's tests of docs/cases.md, on the simulator of two chips with every check."""

from __future__ import annotations

import pytest
from gpu.test_cases_numbers import *  # noqa: F403 - its tests become this file's
from gpu.test_cases_order import *  # noqa: F403
from gpu.test_cases_shapes import *  # noqa: F403
from simulated import torch_on_host

torch = pytest.fixture(torch_on_host)


# What every chip computes by the same instructions.
ONE_CHIP = ("05", "06", "17", "22", "23", "24", "25")


def pytest_generate_tests(metafunc):
    once = metafunc.function.__name__.startswith(tuple(f"test_case_{number}_" for number in ONE_CHIP))
    metafunc.parametrize("chip", [80] if once else [80, 90], indirect=True)


@pytest.fixture(autouse=True)
def chip(request):
    import phobos

    with phobos.sim(check="all", seed=1, arch={80: "sm_80", 90: "sm_90a"}[request.param]):
        yield request.param


@pytest.fixture
def times():
    return 2
