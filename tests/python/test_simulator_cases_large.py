"""The GPU's tests of large tensors, on the simulator: memory is mapped, and there once it is touched."""

from __future__ import annotations

import mmap

import pytest
from gpu.test_cases_large import *  # noqa: F403 - its tests become this file's
from simulated import torch_on_host

torch = pytest.fixture(torch_on_host)


@pytest.fixture
def room(torch):
    def zeros(dtype, *shape: int):
        count = 1
        for extent in shape:
            count *= extent
        bytes = count * torch.tensor([], dtype=dtype).element_size()
        memory = mmap.mmap(
            -1, bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0x4000)
        )
        return torch.frombuffer(memory, dtype=dtype).view(shape)

    return zeros, False


@pytest.fixture(autouse=True, params=["sm_80", "sm_90a"])
def checked(request):
    import phobos

    with phobos.sim(check="all", arch=request.param):
        yield
