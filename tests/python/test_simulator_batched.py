"""The GPU's random batched products on the simulator with all checks: by TMA and wgmma on sm_90a, a few on older chips."""

from __future__ import annotations

import pytest
from gpu import batched_cases
from gpu.test_batched import test_product as check_product
from simulated import torch_on_host

torch = pytest.fixture(torch_on_host)


def test_cases_cover_the_space():
    cases = batched_cases.cases()
    assert {case.batch for case in cases} == {"b", "bh", "bhg"}
    assert {case.persistent for case in cases} == {False, True}
    assert sum(case.uses_bulk_copies for case in cases) > len(cases) // 2
    assert {(c.a.memory[-1], c.b.memory[-1]) for c in cases if c.dtype != "i8"} >= {(x, y) for x in "mk" for y in "nk"}
    firsts = {each.axes.index(case.batch[0]) for case in cases for each in (case.a, case.b, case.c)}
    assert firsts >= {0, 1, 2}  # the batch first, in the middle, last


@pytest.mark.parametrize("case", batched_cases.cases(), ids=str)
def test_product(case, torch, tmp_path):
    import phobos

    arch = ("sm_75", "sm_80", "sm_90a", "sm_90a")[case.number % 4]
    with phobos.sim(arch=arch, check="all", seed=case.number % 3):
        check_product(case, torch, tmp_path)
