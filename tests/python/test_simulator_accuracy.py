"""The GPU's tests of bounds, on the simulator: fewer numbers, the same kernels and references."""

from __future__ import annotations

import gpu.test_accuracy as tests
import pytest
from gpu.test_accuracy import *  # noqa: F403 - its tests become this file's
from simulated import torch_on_host

torch = pytest.fixture(torch_on_host)


@pytest.fixture(autouse=True)
def smaller(monkeypatch):
    monkeypatch.setattr(tests, "STEP", 1 << 13)
