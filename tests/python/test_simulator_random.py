"""The GPU's tests of random numbers on the simulator, with fewer of them; and their kernels, assembled for every chip."""

from __future__ import annotations

import subprocess

import gpu.test_random as on_gpu
import pytest
from conftest import CHIPS
from gpu.test_random import *  # noqa: F403 - its tests become this file's
from simulated import torch_on_host

torch = pytest.fixture(torch_on_host)


@pytest.fixture(autouse=True)
def smaller(monkeypatch):
    monkeypatch.setattr(on_gpu, "SIZE", 1 << 16)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("name,out", [("randint", "u32"), ("rand", "f32"), ("randn", "f32")])
def test_ptxas_accepts(name, out, chip, phobosc, ptxas, tmp_path):
    """64 numbers a thread, without spills: each is computed by itself."""
    source, ptx = tmp_path / "kernel.py", tmp_path / "kernel.ptx"
    text = on_gpu.DRAW.format(offset="i64", out=out, seed="u64", expression=f"ph.{name}(seed, O[i:+1024])")
    text = text.replace("1024", "8192").replace("@ph.aligned", "@ph.launch(128)\n@ph.aligned")
    source.write_text("from __future__ import annotations\nimport phobos.lang as ph\n" + text)
    made = subprocess.run([phobosc, str(source), "--arch", chip, "--emit", "ptx", "-o", str(ptx)], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    done = subprocess.run(
        [ptxas, "-v", f"-arch={chip}", "-o", str(tmp_path / "kernel.cubin"), str(ptx)], capture_output=True, text=True
    )
    assert done.returncode == 0 and " 0 bytes spill stores, 0 bytes spill loads" in done.stderr, done.stderr
