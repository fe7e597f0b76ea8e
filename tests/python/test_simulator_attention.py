"""The GPU's tests of attention on the simulator, as chips with and without wgmma, with all checks: the first of the random cases."""

from __future__ import annotations

import gpu.test_attention as attention
import pytest
from gpu.test_attention import (  # noqa: F401 - run here too
    test_bias,
    test_decoding_by_parts,
    test_dropout,
    test_guarded,
    test_one_query,
    test_queries_that_registers_do_not_hold,
    test_scores_of_minus_infinity,
)
from simulated import torch_on_host

torch = pytest.fixture(torch_on_host)
CASES = 60


@pytest.fixture(autouse=True, params=["sm_80", "sm_90a"])
def checked(request):
    import phobos

    with phobos.sim(check="all", arch=request.param, seed=1):
        yield


@pytest.mark.parametrize("case", range(CASES))
def test_random(case, load_kernels, torch):
    attention.test_random(case, load_kernels, torch)
