"""Random matrix products of the GPU's tests, on the simulator: every way a contraction is lowered, for chips of every kind."""

from __future__ import annotations

import pytest
from gpu import matmul_cases
from gpu.test_matmul_random import test_product as check_product
from simulated import torch_on_host

torch = pytest.fixture(torch_on_host)
CHIPS = ("sm_75", "sm_80", "sm_89", "sm_90a", "sm_120a")


@pytest.mark.parametrize("case", matmul_cases.cases(), ids=str)
def test_product(case, torch, tmp_path):
    import phobos

    check = "all" if case.number % 4 == 0 else ""
    with phobos.sim(arch=CHIPS[case.number % len(CHIPS)], check=check, seed=case.number % 3):
        check_product(case, torch, tmp_path)
