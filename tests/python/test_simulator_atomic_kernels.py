"""The GPU's tests of atomic operations, on the simulator: the same kernels, with every check."""

from __future__ import annotations

import numpy as np
import pytest
from gpu.test_atomics import *  # noqa: F403 - its tests become this file's
from simulated import torch_on_host

torch = pytest.fixture(torch_on_host)


@pytest.fixture(autouse=True)
def checked():
    import phobos

    with phobos.sim(check="all"):
        yield


@pytest.mark.parametrize("bits", [32, 64])
def test_unsigned(bits, load_kernels):
    """Numbers with the top bit set are the greater ones; sums wrap. NumPy has these types, whichever torch there is."""
    import phobos

    text = f"""
@ph.kernel
def change(A: ph.tensor[ph.u{bits}][3, 32], X: ph.tensor[ph.u{bits}][32]):
    ph.atomic_min(A[0, :], X[:])
    ph.atomic_max(A[1, :], X[:])
    ph.atomic_add(A[2, :], X[:])
"""
    dtype = np.dtype(f"uint{bits}")
    rng = np.random.default_rng(bits)
    given, x = (rng.integers(0, 2**bits, shape, dtype=dtype) for shape in ((3, 32), 32))
    changed = given.copy()
    with phobos.target("host"):
        load_kernels(text).change[1](changed, x)
    assert np.array_equal(changed, np.stack([np.minimum(given[0], x), np.maximum(given[1], x), given[2] + x]))
