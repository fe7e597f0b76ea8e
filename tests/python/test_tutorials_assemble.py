"""Every tutorial kernel, compiled for every chip in the table: the PTX is assembled by ptxas, without spills of registers."""

from __future__ import annotations

import re
import subprocess

import pytest
from conftest import CHIPS, ROOT, import_file

tutorials = import_file(ROOT / "tools" / "lib" / "tutorials.py")
KERNELS = [(path, kernel) for path in tutorials.find([]) for kernel in tutorials.kernels(path)]

pytestmark = pytest.mark.ptx


def test_there_are_tutorials():
    known = {"t01_vector_add", "t02_fused_softmax", "t03_matmul", "t04_low_memory_dropout", "t05_layer_norm", "t06_attention", "t07_libdevice", "t09_persistent_matmul"}
    assert {path.stem for path, _ in KERNELS} >= known


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("path, kernel", KERNELS, ids=[f"{p.stem}.{k}" for p, k in KERNELS])
def test_ptxas_accepts(path, kernel, chip, phobosc, ptxas, tmp_path):
    ptx = tmp_path / "kernel.ptx"
    made = subprocess.run(
        [phobosc, str(path), "--kernel", kernel, "--arch", chip, "--emit", "ptx", "-o", str(ptx)],
        capture_output=True, text=True,
    )
    assert made.returncode == 0, made.stderr
    text = ptx.read_text()
    assert re.search(rf"^\.target {chip}\b", text, re.M)
    assert re.search(rf"\.entry \w*{kernel}\w*", text)
    assembled = subprocess.run(
        [ptxas, "-v", f"-arch={chip}", "-o", str(tmp_path / "kernel.cubin"), str(ptx)], capture_output=True, text=True
    )
    assert assembled.returncode == 0, assembled.stdout + assembled.stderr
    assert (tmp_path / "kernel.cubin").stat().st_size > 0
    assert "(C7" not in assembled.stdout + assembled.stderr  # wgmma serialised, or setmaxnreg ignored
    spilled = re.findall(r"(\d+) bytes spill (?:stores|loads)", assembled.stdout + assembled.stderr)
    assert spilled and set(spilled) == {"0"}, assembled.stderr


def test_names_are_found_by_number_and_refused_when_unknown():
    assert [p.stem for p in tutorials.find(["t03"])] == ["t03_matmul"]
    assert [p.stem for p in tutorials.find(["examples/tutorials/t01_vector_add.py"])] == ["t01_vector_add"]
    with pytest.raises(LookupError, match="there are t01_vector_add"):
        tutorials.find(["t99"])
