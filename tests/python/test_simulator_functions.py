"""The GPU's tests of functions, casts and remainders, on the simulator: fewer numbers, the same bounds."""

from __future__ import annotations

import gpu.test_functions as functions
import pytest
from gpu.test_functions import (  # noqa: F401 - run here too
    BOUNDS,
    test_bytes,
    test_integers,
    test_narrow,
    test_pow,
    test_remainder,
    test_small_sigmoid,
)
from simulated import torch_on_host

torch = pytest.fixture(torch_on_host)
mapped = functions.mapped
SAMPLE = 1 << 12  # of the 2^24 numbers that begin with the same byte


@pytest.fixture(autouse=True)
def smaller(monkeypatch):
    monkeypatch.setattr(functions, "CHUNK", SAMPLE)


@pytest.mark.parametrize("name", BOUNDS)
def test_bound(name, torch, mapped, load_kernels, monkeypatch):
    """A sample of the numbers with each first byte, drawn evenly."""
    chosen = torch.arange(SAMPLE, dtype=torch.int64) * ((1 << 24) // SAMPLE)

    def floats(torch, chunk):
        bits = chosen + torch.randint(0, (1 << 24) // SAMPLE, (SAMPLE,)) + chunk * (1 << 24)
        return torch.where(bits >= 2**31, bits - 2**32, bits).to(torch.int32).view(torch.float32)

    monkeypatch.setattr(functions, "floats", floats)
    functions.test_bound(name, mapped, torch, load_kernels)


def test_exp2_without_subnormals(mapped, torch, monkeypatch):
    monkeypatch.setattr(functions, "floats", lambda torch, chunk: torch.linspace(-200, 130, SAMPLE) + chunk / 256)
    functions.test_exp2_without_subnormals(mapped, torch)
