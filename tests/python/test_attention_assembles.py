"""Tutorial 06 as it is compiled for whole matrices on sm_90a: ptxas serialises no product (C75xx), and in what the tuner picks on an H200 nothing is spilled in a loop."""

from __future__ import annotations

import re
import subprocess

import numpy as np
import pytest
from conftest import ROOT, import_file

TUTORIAL = import_file(ROOT / "examples" / "tutorials" / "t06_attention.py")
FORWARD = [(128, 128, 3, 256), (256, 64, 4, 512), (256, 32, 4, 512), (128, 64, 4, 256), (64, 128, 3, 128), (64, 32, 2, 128)]
KEYS = [(64, 32, 2, 128), (128, 64, 2, 256), (128, 32, 3, 256)]
QUERIES = [(64, 64, 2, 128), (128, 64, 3, 256), (128, 128, 2, 256)]
FEW_BYTES = 64  # around the loops of four warpgroups


def assemble(compiled, ptxas, tmp_path) -> str:
    file = tmp_path / "kernel.ptx"
    file.write_text(compiled.ptx)
    done = subprocess.run([ptxas, "-v", "-arch=sm_90a", "-o", str(tmp_path / "cubin"), str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def arrays(d: int):
    return np.zeros((2, 4, 1024, d), np.float16), np.zeros((2, 4, 1024), np.float32)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("d", [64, 128])
@pytest.mark.parametrize("bm,bn,stages,threads", FORWARD)
def test_forward(bm, bn, stages, threads, d, causal, ptxas, tmp_path):
    if (d, bm, bn) == (128, 256, 64):
        return  # more shared memory than there is
    x, sums = arrays(d)
    compiled = TUTORIAL.attention.compile(x, x, x, x, sums, 1.0, causal, d, arch="sm_90a", BM=bm, BN=bn, stages=stages, threads=threads)
    said = assemble(compiled, ptxas, tmp_path)
    assert "(C7" not in said
    if "wgmma.mma_async" in compiled.ptx:
        assert all(int(size) <= FEW_BYTES for size in re.findall(r"(\d+) bytes spill", said)), said


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("d", [64, 128])
def test_backward(d, causal, ptxas, tmp_path):
    x, sums = arrays(d)
    for bn, bm, stages, threads in KEYS:
        given = (x, x, x, x, sums, sums, x, x, 1.0, causal, d)
        assert "(C7" not in assemble(TUTORIAL.key_gradients.compile(*given, arch="sm_90a", BN=bn, BM=bm, stages=stages, threads=threads), ptxas, tmp_path)
    for bm, bn, stages, threads in QUERIES:
        given = (x, x, x, x, sums, sums, x, 1.0, causal, d)
        if (d, bn) != (128, 128):  # more shared memory than there is
            made = TUTORIAL.query_gradients.compile(*given, arch="sm_90a", BM=bm, BN=bn, stages=stages, threads=threads)
            assert "(C7" not in assemble(made, ptxas, tmp_path)
