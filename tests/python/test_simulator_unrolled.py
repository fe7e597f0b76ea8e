"""The GPU's tests of unrolled loops on the simulator."""

from __future__ import annotations

import pytest
from gpu.test_unrolled import *  # noqa: F403 - its tests become this file's
from simulated import torch_on_host

torch = pytest.fixture(torch_on_host)
