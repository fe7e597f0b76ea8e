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
