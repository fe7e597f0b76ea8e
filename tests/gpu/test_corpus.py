"""Kernels of other tile languages' tutorials and tests, written anew in this one, against torch in float64: docs/corpus.md lists them."""

from __future__ import annotations

import pytest
from gpu.corpus.cases import Given, load, problem

CASES = [(case, shape) for case in load() for shape in case.shapes]


@pytest.mark.parametrize("case, shape", CASES, ids=[f"{c.name}-{'x'.join(map(str, s))}" for c, s in CASES])
def test_kernel(case, shape, torch):
    results = case.check(Given(torch, f"{case.name} {shape}"), *shape)
    torch.cuda.synchronize()
    assert results
    wrong = [f"result {i}: {found}" for i, result in enumerate(results) if (found := problem(torch, *result))]
    assert not wrong, "\n".join(wrong)
