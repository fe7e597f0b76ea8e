"""The GPU's tests of dependent kernels on the simulator, as chips that have them and one that has not, with all checks; and what happens
without the wait."""

from __future__ import annotations

import re

import numpy as np
import pytest
from gpu.test_dependent import *  # noqa: F403 - its tests become this file's
from gpu.test_dependent import CHAIN
from lowered import Lowered
from simulated import torch_on_host

torch = pytest.fixture(torch_on_host)


@pytest.fixture(autouse=True, params=["sm_80", "sm_90a"])
def checked(request):
    import phobos

    with phobos.sim(check="all", arch=request.param, seed=1):
        yield


# Case 36 of docs/cases.md.
def test_an_access_before_the_wait_is_told(load_kernels):
    """The kernel and the array, the access and its place."""
    import phobos

    x, y = np.arange(512 * 3, dtype=np.float32), np.zeros(512 * 3, np.float32)
    step = load_kernels(CHAIN.format(more="\n@ph.dependent")).step
    lowered = Lowered(step, x, y, arch="sm_90a", grid=2)
    lines = lowered.text.splitlines()
    (wait,) = [i for i, line in enumerate(lines) if re.search(r"griddepcontrol\s+wait", line)]
    (first,) = [i for i, line in enumerate(lines) if "llvm.return" in line][:1]
    lowered.run()
    late = lines[:wait] + lines[wait + 1 : first] + [lines[wait]] + lines[first:]
    for text in (lowered.without(wait), "\n".join(late)):
        with pytest.raises(phobos.SimulationError) as told:
            lowered.run(text)
        assert "before griddepcontrol.wait: the kernel before this one in the stream may not be complete" in str(told.value)
        assert "load from `" in str(told.value) or "load from memory" in str(told.value)
    with phobos.sim(check="bounds"):
        lowered.run(lowered.without(wait))


def test_who_waits_speaks_for_those_who_meet_it(load_kernels):
    """One thread waits, and the others behind a barrier after it: so kernels of other generators do."""
    import phobos

    x, y = np.arange(512 * 3, dtype=np.float32), np.zeros(512 * 3, np.float32)
    lowered = Lowered(load_kernels(CHAIN.format(more="\n@ph.dependent")).step, x, y, arch="sm_90a", grid=2)
    lines = lowered.text.splitlines()
    (wait,) = [i for i, line in enumerate(lines) if re.search(r"griddepcontrol\s+wait", line)]
    (tid,) = [line.split()[0] for line in lines if "sreg.tid.x" in line]
    guarded = [
        "%zero = llvm.mlir.constant(0 : i32) : i32",
        f'%leads = llvm.icmp "eq" {tid}, %zero : i32',
        "llvm.cond_br %leads, ^waits, ^met",
        "^waits:",
        lines[wait],
        "llvm.br ^met",
        "^met:",
    ]
    rest = lines[wait + 1 :]
    lowered.run("\n".join(lines[:wait] + guarded + ["nvvm.barrier0"] + rest))
    with pytest.raises(phobos.SimulationError, match="before griddepcontrol.wait"):
        lowered.run("\n".join(lines[:wait] + guarded + rest))
