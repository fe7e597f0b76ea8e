"""What tests on the host simulator share."""

from __future__ import annotations

import sys

import pytest
from conftest import ROOT


def torch_on_host():
    """torch, its devices and its half precision standing in for a GPU's, while launches go to the simulator."""
    pytest.importorskip("torch")
    import phobos

    sys.path.insert(0, str(ROOT / "tools" / "lib"))
    try:
        import cpu_torch
    finally:
        sys.path.pop(0)
    with cpu_torch.stand_in() as torch, phobos.target("host"):
        yield torch


class Launch:
    """What one launch was given, and what it left in its arrays on the GPU and on the simulator; all on the CPU."""

    def __init__(self, torch, given, gpu, host):
        self.torch, self.given, self.gpu, self.host = torch, given, gpu, host

    def pairs(self):
        return [(x, y) for x, y in zip(self.gpu, self.host) if isinstance(x, self.torch.Tensor)]

    def assert_equal(self) -> None:
        """The same bits; any NaN is as good as another."""
        integers = {1: self.torch.uint8, 2: self.torch.int16, 4: self.torch.int32, 8: self.torch.int64}
        for x, y in self.pairs():
            kind = integers[x.element_size()]
            differ = x.contiguous().view(kind) != y.contiguous().view(kind)
            if x.is_floating_point():
                differ &= ~(x.isnan() & y.isnan())
            assert not differ.any(), f"{int(differ.sum())} of {differ.numel()} differ: {x[differ][:4]} on the GPU, {y[differ][:4]} on the host"

    def assert_near(self, relative: float) -> None:
        for x, y in self.pairs():
            if not x.is_floating_point():
                assert self.torch.equal(x, y)
                continue
            smallest = self.torch.finfo(x.dtype).tiny * self.torch.finfo(x.dtype).eps  # between subnormal neighbours
            assert self.torch.allclose(x.double(), y.double(), rtol=relative, atol=smallest, equal_nan=True)


class Both:
    """While it holds, every launch on the GPU is made on the simulator too, as the same chip, with copies of what it was given."""

    def __init__(self, monkeypatch, torch):
        import phobos
        from phobos.kernel import Kernel

        self.torch, self.launches, self.compares = torch, [], True
        major, minor = torch.cuda.get_device_capability()
        self.arch = f"sm_{major}{minor}" + "a" * (major >= 9)
        original = Kernel.__getitem__

        def on_both(kernel, grid):
            def launch(*args, **keywords):
                given = [self.on_cpu(value) for value in args]
                host = [self.on_cpu(value) for value in args]
                original(kernel, grid)(*args, **keywords)
                torch.cuda.synchronize()
                with phobos.target("host"), phobos.sim(arch=self.arch):
                    original(kernel, grid)(*host, **keywords)
                self.launches.append(Launch(torch, given, [self.on_cpu(value) for value in args], host))

            return launch

        monkeypatch.setattr(Kernel, "__getitem__", on_both)

    def on_cpu(self, value):
        """A copy with the same strides, so that the same variant of the kernel is compiled for it."""
        if not isinstance(value, self.torch.Tensor):
            return value
        copy = self.torch.empty_strided(value.size(), value.stride(), dtype=value.dtype)
        return copy.copy_(value)
