"""The GPU's tests of hints to caches, on the simulator: the same kernels and the same references."""

from __future__ import annotations

import pytest
from gpu.test_hints import *  # noqa: F403 - its tests become this file's
from simulated import torch_on_host

torch = pytest.fixture(torch_on_host)


@pytest.fixture(autouse=True)
def checked():
    import phobos

    with phobos.sim(check="all"):
        yield


def test_ptx(load_kernels, torch):  # noqa: F811 - which only a GPU understands
    import phobos
    from gpu.test_hints import PTX

    arguments = [torch.zeros(256, dtype=d) for d in (torch.float32, torch.float16, torch.int64, torch.float32, torch.float16, torch.int32, torch.int64)]
    with pytest.raises(phobos.CompileError, match="the host simulator cannot run inline PTX: cvt.rni.f32.f32"):
        load_kernels(PTX).kernel[1](*arguments, 1, torch.zeros(1, dtype=torch.int32))
