"""The GPU's tests of what is exact, on the simulator: the same kernels and the same references."""

from __future__ import annotations

import gpu.test_exact as exact
import pytest
from gpu.accuracy import FLOATS
from gpu.test_exact import *  # noqa: F403 - its tests become this file's
from simulated import torch_on_host

torch = pytest.fixture(torch_on_host)
WRONG = pytest.mark.xfail(strict=True, reason="the simulator rounds to f32 first")


@pytest.mark.parametrize("dtype", [pytest.param(dtype, marks=WRONG if dtype == "bf16" else ()) for dtype in FLOATS])
def test_fma(dtype, apply, torch):
    exact.test_fma(dtype, apply, torch)
