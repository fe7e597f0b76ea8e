"""The GPU's tests of what is exact, on the simulator: the same kernels and the same references."""

from __future__ import annotations

import pytest
from gpu.test_exact import *  # noqa: F403 - its tests become this file's
from simulated import torch_on_host

torch = pytest.fixture(torch_on_host)
