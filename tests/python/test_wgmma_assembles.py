"""Loops with several products, assembled for sm_90a: ptxas warns of nothing (it serialises wgmma with a C75xx or C76xx), and spills nothing
where there are no loops over blocks around them and heads are of 64."""

from __future__ import annotations

import re
import subprocess

import numpy as np
import pytest
from gpu.test_chained_products import SOURCE

pytestmark = pytest.mark.ptx


@pytest.mark.parametrize("more", ["", "\n@ph.persistent"], ids=["plain", "roles"])
@pytest.mark.parametrize("variant", [(128, "f16", 64, 64, 64), (256, "f16", 128, 64, 64), (256, "f16", 128, 64, 128)], ids=str)
def test_nothing_is_serialised(variant, more, load_kernels, ptxas, tmp_path):
    threads, dtype, m, n, d = variant
    kernels = load_kernels(SOURCE.format(threads=threads, dtype=dtype, m=m, n=n, d=d, more=more))
    rows, keys, depth = 4 * m, 4 * n, 256
    half = np.float16
    q, k, o = np.zeros((rows, d), half), np.zeros((keys, d), half), np.zeros((rows, d), half)
    x, w, y = np.zeros((rows, depth), half), np.zeros((depth, keys), half), np.zeros((rows, keys), half)
    launches = {"chain": (q, k, k, o), "attention": (q, k, k, o), "gated": (x, w, w, y), "gram": (x[:m], np.zeros((m, m), np.float32))}
    for name, arguments in launches.items():
        ptx = tmp_path / f"{name}.ptx"
        ptx.write_text(getattr(kernels, name).compile(*arguments, arch="sm_90a").ptx)
        assert "wgmma" in ptx.read_text()
        assembled = subprocess.run([ptxas, "-v", "-arch=sm_90a", "-o", str(tmp_path / "x.cubin"), str(ptx)], capture_output=True, text=True)
        said = assembled.stdout + assembled.stderr
        assert assembled.returncode == 0, said
        assert "(C7" not in said, (name, said)
        spilled = sum(map(int, re.findall(r"(\d+) bytes spill", said)))
        assert not spilled or more or (name == "attention" and d > 64), (name, said)
