"""The random products of tests/gpu, compiled and assembled but not run: what a machine without a GPU can say of them."""

from __future__ import annotations

import subprocess

import pytest
from gpu import matmul_cases


def test_cases_cover_the_space():
    cases = matmul_cases.cases()
    assert len(cases) == 200
    assert {c.dtype for c in cases} == set(matmul_cases.ELEMENT_BYTES)
    assert {c.order for c in cases} == set(matmul_cases.ORDERS)
    assert {c.tensorcore for c in cases} == {"", "default", "tf32", "tf32x3", "bf16x3"}
    assert {c.stages for c in cases} == {None, 0, 2, 3, 4}
    assert all(1 <= extent <= 700 for c in cases for extent in c.shape)
    assert any(c.aligned for c in cases) and sum(not c.aligned for c in cases) > 100
    assert len({c.source() for c in cases}) > 150


@pytest.mark.parametrize("case", matmul_cases.cases()[::8], ids=str)
def test_compiles(case, phobosc, tmp_path):
    path = tmp_path / "case.py"
    path.write_text(case.source())
    made = subprocess.run(
        [phobosc, str(path), "--kernel", "matmul", "--arch", "sm_80", "--emit", "cubin", "-o", str(tmp_path / "case.cubin")],
        capture_output=True, text=True,
    )
    assert made.returncode == 0, f"{case}\n{case.source()}\n{made.stderr}"
    assert (tmp_path / "case.cubin").read_bytes().startswith(b"\x7fELF")
