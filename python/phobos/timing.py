"""How long a piece of GPU work takes."""

from __future__ import annotations

import sys
from collections.abc import Callable

from . import _phobos
from .errors import LaunchError


def bench(function: Callable[[], object], *, device: int = 0) -> float:
    """Median milliseconds of one call of `function` on the device, warm.

    With torch loaded, the call is recorded into a CUDA graph and the graph replayed, so that launch costs are left out, as
    they are in a model that is captured; work that cannot be recorded is timed by events around repeated calls. On the simulator
    it is the time that simulating takes.
    """
    torch = sys.modules.get("torch")
    if torch is None or _phobos.current_target() == "host" or not torch.cuda.is_available():
        return _phobos.time(lambda stream: function(), device, False, 0)
    with torch.cuda.device(device):
        try:
            return _phobos.time(lambda stream: _on_stream(torch, stream, function), device, True, 0)
        except (LaunchError, RuntimeError):  # not recordable: it synchronises, or allocates too much
            torch.cuda.synchronize()
            stream = torch.cuda.current_stream().cuda_stream
            return _phobos.time(lambda _: function(), device, False, stream)


def _on_stream(torch, stream: int, function: Callable[[], object]) -> None:
    with torch.cuda.stream(torch.cuda.ExternalStream(stream)):
        function()
