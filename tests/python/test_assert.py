"""ph.assert_ on the simulator: what holds is silent, what fails is an exception with the place, the block and the element."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from conftest import BUILD, CHIPS

ARCHES = ("sm_75", "sm_80", "sm_90a")


@pytest.fixture(autouse=True)
def on_host():
    import phobos

    with phobos.target("host"), phobos.sim(check="", seed=0, arch="sm_80"):
        yield


@pytest.fixture
def failure(load_kernels):
    """failure(body, *arrays, grid=1, **scalars): the message of the launch's SimulationError, its file named FILE."""
    import phobos

    def run(source: str, *arrays, grid=1, **scalars) -> str:
        module = load_kernels(source)
        with pytest.raises(phobos.SimulationError) as error:
            module.k[grid](*arrays, **scalars)
        return str(error.value).replace(module.__file__, "FILE").rstrip("\n")

    return run


SCALAR = """
@ph.kernel
def k(A: ph.tensor[ph.f32][N], n: ph.i32):
    ph.assert_(n > 0, "n is positive")
    ph.assert_(n <
               100)
    A[0] = 1.0
"""


def test_of_a_scalar(failure, load_kernels):
    a = np.zeros(4, np.float32)
    load_kernels(SCALAR).k[3](a, 5)
    assert a[0] == 1
    a[0] = 0
    assert failure(SCALAR, a, n=-1) == textwrap.dedent("""\
        FILE:8:5: error: assertion failed: n is positive
                ph.assert_(n > 0, "n is positive")
                ^
        note: this is block (0, 0, 0)""")
    assert "FILE:9:5: error: assertion failed: n < 100\n" in failure(SCALAR, a, n=100)
    assert a[0] == 0, "what stands after an assertion that failed was run"


TILE = """
@ph.kernel
@ph.launch({threads})
def k(A: ph.tensor[ph.f32][M, N]):
    i = ph.ctx.block.x * {m}
    ph.assert_(A[i:+{m}, 0:+{n}] < 7.0, "small enough")
"""


@pytest.mark.parametrize("m,n,threads", [(1, 1, 32), (3, 5, 128), (16, 16, 64), (33, 70, 256), (64, 128, 32)])
def test_of_a_tile_names_the_element_and_the_block(m, n, threads, failure, load_kernels):
    source = TILE.format(m=m, n=n, threads=threads)
    rng = np.random.default_rng(m)
    a = rng.random((4 * m, n)).astype(np.float32)
    load_kernels(source).k[4](a)  # padding, and copies of it, hold
    for _ in range(5):
        bad = a.copy()
        row, column = int(rng.integers(4 * m)), int(rng.integers(n))
        bad[row, column] = rng.choice([7.0, np.nan, np.inf])
        message = failure(source, bad, grid=4)
        assert message.endswith(f"note: this is block ({row // m}, 0, 0), at index [{row % m}, {column}]")
        assert "FILE:10:5: error: assertion failed: small enough\n" in message


DOT = """
@ph.kernel
@ph.launch(64)
@ph.tensorcore
def k(A: ph.tensor[ph.f16][24, 64], B: ph.tensor[ph.f16][64, 40], C: ph.tensor[ph.f32][24, 40]):
    acc: ph.var = ph.zeros((24, 40))
    for i in range(0, 64, 32):
        acc = ph.dot(A[:, i:+32], B[i:+32, :], acc)
        ph.assert_(acc < 100.0, "sums stay small")
    C[:, :] = acc
"""


@pytest.mark.parametrize("arch", ARCHES)
def test_of_the_sums_of_a_product(arch, failure, load_kernels):
    import phobos

    a, b, c = np.zeros((24, 64), np.float16), np.ones((64, 40), np.float16), np.zeros((24, 40), np.float32)
    a[:] = np.eye(24, 64)
    with phobos.sim(arch=arch, check="all"):
        load_kernels(DOT).k[1](a, b, c)
        assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
        a[17, 40], b[40, 33] = 10, 10
        assert failure(DOT, a, b, c).endswith("note: this is block (0, 0, 0), at index [17, 33]")


FLOW = """
@ph.fn
def check(t, limit):
    ph.assert_(t < limit)


@ph.kernel
@ph.swizzle(2)
def k(A: ph.tensor[ph.i32][N], n: ph.i32, wrong: ph.i32):
    for i in range(4):
        if i == n:
            check(A[i:+4], 10)
        elif i > 4:
            ph.assert_(False, "never here")
    ph.assert_(ph.ctx.block.x * 10 + ph.ctx.block.y != wrong)
"""


def test_in_loops_branches_and_functions(failure, load_kernels):
    a = np.arange(8, dtype=np.int32)
    a[6] = 10
    load_kernels(FLOW).k[(3, 4)](a, 2, -1)
    message = failure(FLOW, a, 3, -1)
    assert "FILE:8:5: error: assertion failed: t < limit\n" in message
    assert message.endswith("note: this is block (0, 0, 0), at index [3]")
    # As the kernel numbers it: the hardware's block is (2, 1, 0).
    assert failure(FLOW, a, 2, 12, grid=(3, 4)).endswith("note: this is block (1, 2, 0)")


PRINTED = """
@ph.kernel
@ph.launch(64)
def k(A: ph.tensor[ph.f32][N], B: ph.tensor[ph.f32][1]):
    a = A[0:+100]
    ph.print("a", a)
    ph.assert_(a > 0)
    ph.print("after", a)
    B[0] = ph.sum(a)
"""


@pytest.mark.parametrize("check", ["", "all"])
@pytest.mark.parametrize("place", [0, 99])
def test_what_was_printed_before_is_all_there(place, check, failure, capsys):
    import phobos

    a, b = np.ones(100, np.float32), np.zeros(1, np.float32)
    a[place] = -1
    with phobos.sim(check=check):
        message = failure(PRINTED, a, b)
    assert message.count("error:") == 1 and message.endswith(f"at index [{place}]"), message
    out = capsys.readouterr().out
    assert out.count(": a [") == 100 and b[0] == 0


@pytest.mark.parametrize("seed", [0, 4])
def test_no_thread_goes_on_with_a_wrong_scalar(seed, failure, capsys):
    import phobos

    source = """
@ph.kernel
@ph.launch(128)
def k(A: ph.tensor[ph.f32][N], start: ph.i32):
    ph.assert_(start < A.shape[0], "the slice lies inside")
    ph.print("went on", ph.iota(256))
"""
    with phobos.sim(seed=seed):
        assert "the slice lies inside" in failure(source, np.zeros(128, np.float32), 128)
    assert capsys.readouterr().out == ""


def test_left_out_when_not_debugging(load_kernels):
    import phobos

    kernel = load_kernels(SCALAR).k
    a = np.zeros(4, np.float32)
    with phobos.debug(False):
        kernel[1](a, -1)
    assert a[0] == 1
    for _ in range(2):  # code for both is kept side by side
        with pytest.raises(phobos.SimulationError):
            kernel[1](a, -1)
        with phobos.debug(False):
            kernel[1](a, -1)
    assert len(kernel.cache) == 2
    assert "__assertfail" not in kernel.compile(arch="sm_80").ptx
    with phobos.debug(True):
        assert "__assertfail" in kernel.compile(arch="sm_80").ptx and kernel.compile(arch="sm_80").contract["asserts"]
        with phobos.debug(None):
            assert "__assertfail" not in kernel.compile(arch="sm_80").ptx
    assert not kernel.compile(arch="sm_80").contract["asserts"]


@pytest.mark.ptx
@pytest.mark.parametrize("chip", CHIPS)
def test_ptxas_accepts(chip, load_kernels):
    import phobos

    for source in (SCALAR, TILE.format(m=33, n=70, threads=256), DOT, FLOW, PRINTED):
        with phobos.debug(True):
            compiled = load_kernels(source).k.compile(arch=chip)
        assert len(compiled.cubin) > 0 and "__assertfail" in compiled.ptx


def run(text: str, **environment: str) -> subprocess.CompletedProcess:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("PHOBOS_")} | {"PYTHONPATH": str(BUILD / "python")}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)], env=inherited | environment, capture_output=True, text=True, timeout=120
    )


def test_the_environment_decides(load_kernels):
    text = f"""
        import importlib.util
        import numpy as np
        spec = importlib.util.spec_from_file_location("kernels", {load_kernels(SCALAR).__file__!r})
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.k[1](np.zeros(4, np.float32), -1)
    """
    assert "assertion failed: n is positive" in run(text, PHOBOS_TARGET="host").stderr
    assert "assertion failed: n is positive" in run(text, PHOBOS_TARGET="host", PHOBOS_DEBUG="1").stderr
    assert run(text, PHOBOS_TARGET="host", PHOBOS_DEBUG="0").returncode == 0
    assert "PHOBOS_DEBUG: expected 0 or 1, got 'on'" in run(text, PHOBOS_TARGET="host", PHOBOS_DEBUG="on").stderr
