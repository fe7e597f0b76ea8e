"""Every atomic operation, dtype, order and scope, compiled for every chip in the table: ptxas takes the text, and it says what was asked for."""

from __future__ import annotations

import re
import subprocess

import pytest
from conftest import CHIPS

pytestmark = pytest.mark.ptx

HEAD = """from __future__ import annotations
import phobos.lang as ph


@ph.kernel
def atomics(A: ph.tensor[ph.{dtype}][N]):
    i = ph.ctx.block.x * 64
"""
CALLS = {name: f"ph.atomic_{name}(A[i:+64], 3{{options}})" for name in ("add", "min", "max", "and", "or", "xor", "xchg")}
CALLS["cas"] = "ph.atomic_cas(A[i:+64], 0, 3{options})"


def compiled(phobosc, tmp_path, chip: str, dtype: str, *lines: str) -> subprocess.CompletedProcess:
    source = tmp_path / "kernel.py"
    source.write_text(HEAD.format(dtype=dtype) + "".join(f"    {line}\n" for line in lines))
    return subprocess.run([phobosc, str(source), "--arch", chip, "--emit", "ptx", "-o", str(tmp_path / "kernel.ptx")], capture_output=True, text=True)


def assembled(phobosc, ptxas, tmp_path, chip: str, dtype: str, *lines: str) -> str:
    made = compiled(phobosc, tmp_path, chip, dtype, *lines)
    assert made.returncode == 0, made.stderr
    ptx = tmp_path / "kernel.ptx"
    done = subprocess.run([ptxas, f"-arch={chip}", "-o", str(tmp_path / "kernel.cubin"), str(ptx)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return ptx.read_text()


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("dtype", ["i32", "u32", "i64", "u64"])
def test_integers(dtype, chip, phobosc, ptxas, tmp_path):
    text = assembled(phobosc, ptxas, tmp_path, chip, dtype, *(call.format(options="") for call in CALLS.values()))
    sign, bits = "s" if dtype.startswith("i") else "u", dtype[1:]
    for kind in (rf"add\.u{bits}", rf"min\.{sign}{bits}", rf"max\.{sign}{bits}", *(rf"{name}\.b{bits}" for name in ("and", "or", "xor", "exch", "cas"))):
        assert re.search(rf"\b(atom|red)\.\S*{kind}", text), kind


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "f64"])
def test_floats(dtype, chip, phobosc, ptxas, tmp_path):
    if dtype == "bf16" and int(re.search(r"\d+", chip)[0]) < 90:
        made = compiled(phobosc, tmp_path, chip, dtype, CALLS["add"].format(options=""))
        assert made.returncode != 0
        assert f"kernel.py:8:5: error: atomic addition of bf16 needs sm_90 or later; {chip} has none" in made.stderr
        return
    text = assembled(phobosc, ptxas, tmp_path, chip, dtype, CALLS["add"].format(options=""))
    assert re.search(rf"\b(atom|red)\.\S*add\.(noftz\.)?{dtype}\b", text)


@pytest.mark.parametrize("order,before,after", [("relaxed", 0, 0), ("acquire", 0, 1), ("release", 1, 0), ("acq_rel", 1, 1)])
@pytest.mark.parametrize("scope,level", [("block", "cta"), ("device", "gpu")])
@pytest.mark.parametrize("chip", ["sm_75", "sm_90a"])
def test_orders(chip, scope, level, order, before, after, phobosc, ptxas, tmp_path):
    """A fence and a barrier on the side that is asked for."""
    text = assembled(phobosc, ptxas, tmp_path, chip, "i32", CALLS["add"].format(options=f', scope="{scope}", order="{order}"'))
    first, last = re.split(r"\b(?:atom|red)\.[^\n]*", text, maxsplit=1)[0], re.split(r"\b(?:atom|red)\.[^\n]*", text)[-1]
    for part, wanted in ((first, before), (last, after)):
        assert len(re.findall(rf"fence\.acq_rel\.{level};", part)) == wanted
        assert len(re.findall(r"\bbar(?:rier)?\.\S*sync", part)) == wanted


def test_system(phobosc, ptxas, tmp_path):
    assert "atom.relaxed.sys.global.cas" in assembled(phobosc, ptxas, tmp_path, "sm_90a", "i32", CALLS["cas"].format(options=', scope="system"'))
    made = compiled(phobosc, tmp_path, "sm_90a", "i32", CALLS["add"].format(options=', scope="system"'))
    assert made.returncode != 0
    assert 'kernel.py:8:5: error: the scope "system" of an atomic operation other than cas is not supported yet' in made.stderr
