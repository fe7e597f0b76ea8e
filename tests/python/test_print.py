"""ph.print on the simulator: every value, layout and way through a kernel prints what NumPy says, once and in order."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import printing
import pytest
from conftest import BUILD, CHIPS

ARCHES = ("sm_75", "sm_80", "sm_90a")
DOTS = [name for name in printing.CASES if name.startswith("dot")]


@pytest.fixture(autouse=True)
def on_host():
    import phobos

    with phobos.target("host"), phobos.sim(check="", seed=0, arch="sm_80"):
        yield


@pytest.fixture
def printed(load_kernels, capsys):
    """printed(case) launches it and returns its lines without their places."""

    def run(case: printing.Case) -> list[str]:
        module = load_kernels(case.source)
        printing.launch(case, module.k)
        return printing.check_places(capsys.readouterr().out, os.path.basename(module.__file__), case.source)

    return run


@pytest.mark.parametrize("name", [name for name in printing.CASES if name not in DOTS])
def test_lines(name, printed):
    case = printing.CASES[name]
    assert printed(case) == case.lines


@pytest.mark.parametrize("arch,name", list(itertools.product(ARCHES, DOTS)))
def test_sums_of_products(name, arch, printed):
    import phobos

    case = printing.CASES[name]
    with phobos.sim(arch=arch):
        assert printed(case) == case.lines
    wide = case.arrays[2].dtype
    assert np.array_equal(case.arrays[2], case.arrays[0].astype(wide) @ case.arrays[1].astype(wide))


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("name", ["dtype_f8e4m3", "derived", "flow", "shape_70x33_by_128", *DOTS[:1], *DOTS[-3:]])
def test_checks_and_seeds_see_nothing_in_a_print(name, arch, printed):
    import phobos

    case = printing.CASES[name]
    for seed in (0, 5):
        with phobos.sim(arch=arch, check="all", seed=seed):
            assert printed(case) == case.lines
    with phobos.sim(arch=arch, profile=True) as counted:
        assert printed(case) == case.lines
    assert counted.profile.lines


@pytest.mark.parametrize("arch", ARCHES)
def test_a_loop_that_speaks_of_its_turns_is_pipelined_as_before(arch, load_kernels, capsys):
    text = """
@ph.kernel
@ph.tensorcore
@ph.launch(128)
@ph.pipeline(stages=3)
def k(A: ph.tensor[ph.f16][64, 256], B: ph.tensor[ph.f16][256, 64], C: ph.tensor[ph.f32][64, 64]):
    acc: ph.var = ph.full((64, 64), 1.0)  # from zeros the silent one's first turn would stand in front of its loop
    for i in range(0, 256, 32):
        acc = ph.dot(A[0:+64, i:+32], B[i:+32, 0:+64], acc)
        ph.print("turn", i)
    C[:, :] = acc
"""
    spoken, silent = (load_kernels(t).k.compile(arch=arch).ir["pipelined"] for t in (text, text.replace('ph.print("turn", i)', "pass")))
    kinds = ("dot.copy_async", "dot.tma_load", "dot.wgmma", "dot.mma", "tile.load", "dot.put", "dot.barrier", "dot.wait")
    assert {kind: spoken.count(kind) for kind in kinds} == {kind: silent.count(kind) for kind in kinds}
    assert ("dot.wgmma" in spoken) == (arch == "sm_90a")
    assert spoken.count("tile.print") == 1 and "tile.print" not in spoken.split("scf.for")[0]


BLOCKS = """
@ph.kernel
@ph.launch(32)
def k(A: ph.tensor[ph.i32][N], repeat: ph.i32):
    for i in range(repeat):
        ph.print("t", i, A[0:+64])
"""


# Case 56 of docs/cases.md.
@pytest.mark.parametrize("seed", [0, 3])
def test_blocks_come_in_order_whoever_runs_them(seed, load_kernels, capsys):
    import phobos

    a = np.arange(64, dtype=np.int32)
    with phobos.sim(seed=seed):
        load_kernels(BLOCKS).k[(5, 3, 2)](a, 2)
    got = [text.split(": ", 1)[1] for text in capsys.readouterr().out.splitlines()]
    want = []
    for z, y, x in itertools.product(range(2), range(3), range(5)):
        for i in range(2):
            want += printing.of_tile("t", (a, "i32"), block=(x, y, z), before=[str(i)])
    assert got == want


def test_much_is_shown_before_the_end_and_nothing_is_lost(load_kernels, capsys):
    a = np.arange(64, dtype=np.int32)
    load_kernels(BLOCKS).k[20](a, 100)  # more than the simulator keeps
    got = [text.split(": ", 1)[1] for text in capsys.readouterr().out.splitlines()]
    want = [
        text for x in range(20) for i in range(100) for text in printing.of_tile("t", (a, "i32"), block=(x, 0, 0), before=[str(i)])
    ]
    assert sorted(got) == sorted(want)


def test_what_was_printed_before_a_fault_is_shown(load_kernels, capsys):
    import phobos

    kernels = load_kernels("""
@ph.kernel
def k(A: ph.tensor[ph.f32][N]):
    ph.print("a", A[0:+40])
    A[ph.ctx.block.x:+8] = A[0:+8] + 1.0
""")
    with phobos.sim(check="race"), pytest.raises(phobos.SimulationError, match="race"):
        kernels.k[4](np.ones(40, np.float32))
    # Of the block that met the fault all there is; of those that were stopped, what they had come to.
    lines = [printing.LINE.fullmatch(text)[3] for text in capsys.readouterr().out.splitlines()]
    blocks = [text[: text.index(":")] for text in lines]
    assert 40 in [blocks.count(block) for block in set(blocks)] and blocks == sorted(blocks)


def test_lines_of_threads_do_not_mix(load_kernels, capsys):
    import threading

    kernel = load_kernels(BLOCKS).k
    a = np.arange(64, dtype=np.int32)
    kernel[1](a, 0)
    threads = [threading.Thread(target=lambda: kernel[4](a, 3)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 4 * 4 * 3 * 64 and all(printing.LINE.fullmatch(text) for text in out)


def run(text: str, **environment: str) -> subprocess.CompletedProcess:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("PHOBOS_")} | {"PYTHONPATH": str(BUILD / "python")}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)], env=inherited | environment, capture_output=True, text=True, timeout=120
    )


def test_lines_stand_where_python_s_own_do(load_kernels):
    file = load_kernels(BLOCKS).__file__
    done = run(f"""
        import importlib.util, io, sys
        import numpy as np
        spec = importlib.util.spec_from_file_location("kernels", {file!r})
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        a = np.zeros(64, np.int32)
        print("before")
        module.k[1](a, 1)
        print("after")
        kept, sys.stdout = sys.stdout, io.StringIO()
        module.k[1](a, 2)
        text, sys.stdout = sys.stdout.getvalue(), kept
        print(text.count("block"))
        sys.stdout = None
        module.k[1](a, 1)
    """, PHOBOS_TARGET="host")  # fmt: skip
    assert done.returncode == 0 and done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == "before" and lines[65] == "after" and lines[66] == "128" and len(lines) == 67


@pytest.mark.parametrize("repeat", [1, 10**9])  # at the end, and while the kernel runs
def test_a_stream_that_fails_ends_the_launch_with_its_exception(repeat, load_kernels, monkeypatch):
    class Full:
        def write(self, text):
            raise OSError("no space left")

    kernel = load_kernels(BLOCKS).k
    with monkeypatch.context() as patched, pytest.raises(OSError, match="no space left"):
        patched.setattr(sys, "stdout", Full())
        kernel[1](np.zeros(64, np.int32), repeat)


def test_ctrl_c_ends_a_kernel_that_speaks_for_ever(load_kernels, tmp_path):
    script = tmp_path / "program.py"
    script.write_text(f"""
import importlib.util
import numpy as np
spec = importlib.util.spec_from_file_location("kernels", {load_kernels(BLOCKS).__file__!r})
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
try:
    module.k[1](np.zeros(64, np.int32), 10**9)
except KeyboardInterrupt:
    print("interrupted")
""")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PHOBOS_")} | {"PHOBOS_TARGET": "host"}
    process = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=environment | {"PYTHONPATH": str(BUILD / "python")}
    )
    first = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=60)
    assert printing.LINE.fullmatch(first.rstrip("\n")) and rest.endswith("interrupted\n") and process.returncode == 0


@pytest.mark.ptx
@pytest.mark.parametrize("name,chip", list(zip(printing.CASES, itertools.cycle(CHIPS))))
def test_ptxas_accepts(name, chip, load_kernels):
    import phobos

    case = printing.CASES[name]
    with phobos.debug(True):
        compiled = load_kernels(case.source).k.compile(*case.arrays, **case.scalars, arch=chip)
    assert len(compiled.cubin) > 0 and compiled.resources.stack_bytes > 0 and "vprintf" in compiled.ptx


@pytest.mark.parametrize("registers", [8, 256])
def test_a_large_tile_takes_no_more_code_than_a_small_one(registers, load_kernels):
    kernel = load_kernels(f"""
@ph.kernel
@ph.launch(32)
def k(A: ph.tensor[ph.i32][N]):
    ph.print("t", A[0:+{32 * registers}])
""").k
    ptx = kernel.compile(arch="sm_80").ptx
    assert ptx.count("vprintf, (") == 1 and ptx.count("\n") < 200 + 6 * registers
