"""Launches on the host simulator, from Python: where launches go, which arrays they take, what the checkers find, seeds."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
from conftest import BUILD, ROOT, device_count, import_file

tutorials = import_file(ROOT / "tools" / "lib" / "tutorials.py")
T01 = import_file(ROOT / "examples" / "tutorials" / "t01_vector_add.py")
T03 = import_file(ROOT / "examples" / "tutorials" / "t03_matmul.py")
T09 = import_file(ROOT / "examples" / "tutorials" / "t09_persistent_matmul.py")
GRID = {
    "add": lambda meta: -(-meta["N"] // T01.BLOCK),
    "matmul": lambda meta: (meta["M"] // meta["TILE_M"], meta["N"] // meta["TILE_N"]),
}


@pytest.fixture(autouse=True)
def on_host():
    import phobos

    with phobos.target("host"), phobos.sim(check="", seed=0, arch="sm_80"):
        yield


def run(text: str, **environment: str) -> subprocess.CompletedProcess:
    """A program of its own, with no choice of target but the one given."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("PHOBOS_")}
    inherited |= {"PYTHONPATH": os.pathsep.join([str(BUILD / "python"), str(ROOT / "examples" / "tutorials")])}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)], env=inherited | environment, capture_output=True, text=True, timeout=120
    )


def halves(*shape: int, seed: int = 0) -> np.ndarray:
    return (np.random.default_rng(seed).random(shape) - 0.5).astype(np.float16)


# --- where launches go ---------------------------------------------------------------------------------------------------

ADD = """
    import numpy as np, phobos
    from t01_vector_add import add
    x, y, z = np.arange(5, dtype=np.float32), np.ones(5, np.float32), np.zeros(5, np.float32)
    for _ in range(2):
        add[1](x, y, z)
    print(z.tolist(), phobos.current_target())
"""


@pytest.mark.skipif(device_count() > 0, reason="there is a GPU")
def test_without_a_gpu_the_simulator_says_once_that_it_runs():
    done = run(ADD)
    assert done.stdout == "[1.0, 2.0, 3.0, 4.0, 5.0] host\n", done.stderr
    assert done.stderr.startswith("phobos: no GPU (") and done.stderr.count("\n") == 1
    assert "kernels run on the host simulator, as for sm_80" in done.stderr
    assert "as for sm_90a" in run(ADD, PHOBOS_SIM_ARCH="sm_90a").stderr


def test_the_environment_chooses_the_target():
    done = run(ADD, PHOBOS_TARGET="host")
    assert (done.stdout, done.stderr) == ("[1.0, 2.0, 3.0, 4.0, 5.0] host\n", "")
    assert "unknown target 'gpu' in PHOBOS_TARGET; expected cuda or host" in run(ADD, PHOBOS_TARGET="gpu").stderr
    assert "unknown check 'races'; expected bounds, race" in run(ADD, PHOBOS_TARGET="host", PHOBOS_SIM_CHECK="races").stderr
    assert "unknown chip 'sm_10'; expected one of" in run(ADD, PHOBOS_TARGET="host", PHOBOS_SIM_ARCH="sm_10").stderr
    assert "expected an integer of at least 0" in run(ADD, PHOBOS_TARGET="host", PHOBOS_SIM_SEED="x").stderr


def test_settings_hold_to_the_end_of_a_with():
    import phobos
    from phobos import _phobos

    before = _phobos.simulator_settings()
    with phobos.sim(check="race,bounds", seed=7):
        with phobos.sim(arch="sm_90a"):
            inside = _phobos.simulator_settings()
            assert (inside["check"], inside["seed"], inside["arch"]) == ("bounds,race", 7, "sm_90a")
        assert _phobos.simulator_settings()["arch"] == before["arch"]
    assert _phobos.simulator_settings() == before
    with pytest.raises(phobos.LaunchError, match="unknown check 'rice'"):
        phobos.sim(check="rice")
    with pytest.raises(phobos.LaunchError, match="unknown target 'gpu'; expected cuda or host"):
        phobos.target("gpu")
    assert phobos.current_target() == "host"


def test_tutorials_run_by_their_command(torch):
    tool = ROOT / "tools" / "lib" / "tutorials.py"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PHOBOS_SIM")}
    done = subprocess.run([sys.executable, str(tool), "--host"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", done.stdout + done.stderr
    for path in tutorials.find([]):
        assert f"{path.stem}: ok, on the simulator  " in done.stdout


# --- arrays --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [1, 7, 1023, 1024, 1025, 98432])
def test_numpy_arrays_of_any_length_and_alignment(length):
    rng = np.random.default_rng(length)
    for shift in (0, 1):
        x, y, z = (rng.random(length + shift, dtype=np.float32)[shift:] for _ in range(3))
        T01.add[GRID["add"]](x, y, z)
        assert np.array_equal(z, x + y)


def test_views_are_taken_as_they_lie():
    whole = np.random.default_rng(0).random((3, 5000), dtype=np.float32)
    for x, y in ((whole[0], whole[1]), (whole[0, ::2], whole[1, 1::2]), (whole[0, :100], np.broadcast_to(whole[1, 3], 100))):
        z = np.full(x.shape, np.nan, np.float32)
        T01.add[GRID["add"]](x, y, z)
        assert np.array_equal(z, x + y)


def test_torch_tensors_of_the_cpu(torch):
    x, y = torch.rand(3000), torch.rand(6000)[::2]
    z = torch.empty(3000)
    T01.add[GRID["add"]](x, y, z)
    assert torch.equal(z, x + y)
    a, b = (torch.rand(64, 64).half() for _ in range(2))
    c = torch.empty(64, 64, dtype=torch.float16)
    T03.matmul[GRID["matmul"]](a, b, c)
    assert torch.allclose(c.float(), a.float() @ b.float(), atol=1e-2)


def test_arrays_of_a_gpu_are_refused():
    import phobos

    class OnDevice:
        __cuda_array_interface__ = {"shape": (8,), "typestr": "<f4", "data": (4096, False), "version": 3}

    x = np.zeros(8, np.float32)
    with pytest.raises(phobos.LaunchError, match="argument `y`: expected an array in this machine's memory, got one on cuda:0"):
        T01.add[1](x, OnDevice(), x)
    with phobos.target("cuda"), pytest.raises(phobos.LaunchError, match="expected an array on a CUDA device, got one on the CPU"):
        T01.add[1](x, x, x)


def test_nothing_is_launched_for_nothing():
    x = np.zeros(0, np.float32)
    T01.add[GRID["add"]](x, x, x)
    T01.add[0](*(np.zeros(8, np.float32) for _ in range(3)))


def test_wrong_arguments_are_refused_as_on_a_gpu():
    import phobos

    x = np.zeros(8, np.float32)
    with pytest.raises(phobos.LaunchError, match="argument `y`: expected dtype f32, got f64"):
        T01.add[1](x, np.zeros(8), x)
    with pytest.raises(phobos.LaunchError, match=r"expected extent 8 along axis 0 \(dim `N`\), got 9"):
        T01.add[1](x, np.zeros(9, np.float32), x)


# --- kernels -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_89", "sm_90a", "sm_100a", "sm_120a"])
def test_matmul_as_each_chip_runs_it(arch):
    import phobos

    a, b, c = halves(192, 320, seed=1), halves(320, 128, seed=2), np.zeros((192, 128), np.float16)
    with phobos.sim(arch=arch, check="all"):
        T03.matmul[GRID["matmul"]](a, b, c)
    want = a.astype(np.float64) @ b.astype(np.float64)
    assert np.abs(c - want).max() <= 2e-3 * np.abs(want).max()


FUNCTIONS = """
@ph.kernel
def apply(A: ph.tensor[ph.f32][N], B: ph.tensor[ph.f32][N]):
    i = ph.ctx.block.x * 1024
    x = A[i:+1024]
    B[i:+1024] = {expression}
"""


@pytest.mark.parametrize("name", ["exp", "log", "sin", "cos", "tanh", "sqrt", "exp2", "log2", "rsqrt", "erf", "floor", "abs"])
def test_functions_are_close_to_numpy_s(name, load_kernels):
    import math

    x = np.random.default_rng(0).random(3000, dtype=np.float32) * 4 + 0.1
    got = np.empty_like(x)
    load_kernels(FUNCTIONS.format(expression=f"ph.{name}(x)")).apply[3](x, got)
    wide = x.astype(np.float64)
    own = {"rsqrt": lambda v: 1 / np.sqrt(v), "erf": np.vectorize(math.erf)}
    want = (own.get(name) or getattr(np, name))(wide)
    assert np.allclose(got, want, rtol=1e-6, atol=1e-6)


INTEGERS = """
@ph.kernel
def apply(A: ph.tensor[ph.i32][N], B: ph.tensor[ph.i32][N], Q: ph.tensor[ph.i32][N], R: ph.tensor[ph.i32][N]):
    i = ph.ctx.block.x * 256
    a = A[i:+256]
    b = B[i:+256]
    Q[i:+256] = a // b
    R[i:+256] = a % b
"""


def test_division_by_zero_does_not_end_the_process(load_kernels):
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-50, 50, 1000).astype(np.int32) for _ in range(2))
    a[0], b[0] = -(2**31), -1
    quotients, remainders = np.zeros_like(a), np.zeros_like(a)
    load_kernels(INTEGERS).apply[4](a, b, quotients, remainders)
    good = b != 0
    good[0] = False
    assert (~good).sum() > 1
    assert np.array_equal(quotients[good], a[good] // b[good]) and np.array_equal(remainders[good], a[good] % b[good])


TUNED = """
@ph.kernel
@ph.autotune(TILE=[7000000, 64, 128], when="TILE > 32")
def scale(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N]):
    i = ph.ctx.block.x * TILE
    y[i:+TILE] = x[i:+TILE] * 2
"""


def test_tuning_takes_the_first_that_compiles(load_kernels):
    kernel = load_kernels(TUNED).scale
    x = np.arange(1000, dtype=np.float32)
    y = np.zeros_like(x)
    kernel[lambda meta: -(-meta["N"] // meta["TILE"])](x, y)
    assert np.array_equal(y, 2 * x)
    assert kernel.best(x, y) == {"TILE": 64}


def test_launches_of_several_threads():
    arrays = [(halves(128, 64, seed=i), halves(64, 128, seed=i + 9), np.zeros((128, 128), np.float16)) for i in range(6)]

    def work(a, b, c):
        for _ in range(5):
            T03.matmul[GRID["matmul"]](a, b, c)

    threads = [threading.Thread(target=work, args=each) for each in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for a, b, c in arrays:
        assert np.abs(c - a.astype(np.float64) @ b.astype(np.float64)).max() < 1e-2


def test_a_fork_has_workers_of_its_own():
    done = run(
        """
        import os, numpy as np
        from t01_vector_add import add
        x, z = np.arange(5, dtype=np.float32), np.zeros(5, np.float32)
        add[1](x, x, z)
        child = os.fork()
        if child == 0:
            add[1](x, z, z)
            os._exit(0 if z.tolist() == [0, 3, 6, 9, 12] else 1)
        print(os.waitpid(child, 0)[1])
        """,
        PHOBOS_TARGET="host",
    )
    assert done.stdout == "0\n", done.stderr


def test_bench_times_the_simulator():
    import phobos

    x, y, z = (np.zeros(1 << 16, np.float32) for _ in range(3))
    assert 0 < phobos.bench(lambda: T01.add[GRID["add"]](x, y, z)) < 1000


# --- checkers ------------------------------------------------------------------------------------------------------------

FAULTS = """
@ph.kernel
@ph.launch(128)
def clash(z: ph.tensor[ph.f32][N]):
    z[0:+128] = ph.f32(ph.iota(128) + ph.ctx.block.x)


@ph.kernel
@ph.launch(128)
def shift(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N], z: ph.tensor[ph.f32][N]):
    z[0:+128] = x[0:+128]
    x[0:+128] = y[1:+128]


@ph.kernel
@ph.launch(128)
def neighbour(z: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N]):
    i = ph.ctx.block.x * 128
    z[i:+128] = 1.0
    y[i:+128] = z[i + 128:+128]


@ph.kernel
@ph.launch(128)
def same(z: ph.tensor[ph.f32][N]):
    z[0:+128] = ph.f32(ph.iota(128))


@ph.kernel
@ph.launch(128)
def apart(y: ph.tensor[ph.f32][N], z: ph.tensor[ph.f32][N]):
    i = ph.ctx.block.x * 128
    z[i:+128] = y[i:+128]
    z[i:+128] = z[i:+128] + 1.0
"""


@pytest.fixture
def faults(load_kernels):
    return load_kernels(FAULTS)


def found(launch) -> str:
    import phobos

    with phobos.sim(check="race"), pytest.raises(phobos.SimulationError) as caught:
        launch()
    assert isinstance(caught.value, phobos.LaunchError)
    return str(caught.value)


def test_blocks_that_write_one_place(faults):
    z = np.zeros(512, np.float32)
    said = found(lambda: faults.clash[4](z))
    assert "error: data race in `z`: a write and an earlier write with nothing that orders them" in said
    line = FAULTS.splitlines().index("    z[0:+128] = ph.f32(ph.iota(128) + ph.ctx.block.x)") + 1 + 4
    assert f":{line}:5: error: " in said and f":{line}:5: note: the other is block number " in said
    assert said.count("error: ") == 1
    faults.clash[4](z)  # not checked: whichever comes last


def test_threads_that_read_their_neighbours(faults):
    y, z = np.zeros(512, np.float32), np.zeros(512, np.float32)
    said = found(lambda: faults.shift[1](y, z, z))  # of two names the compiler does not know that they are one memory
    assert "data race in `y`: a read and an earlier write" in said
    assert "thread 0, at index [1] of [512]" in said and "the other is thread 1 of the same block" in said
    said = found(lambda: faults.neighbour[3](z, y))
    assert "data race in `z`" in said and "the other is block number" in said


def test_what_does_not_race_is_silent(faults):
    import phobos

    y, z = np.zeros(512, np.float32), np.zeros(512, np.float32)
    with phobos.sim(check="all"):
        for seed in range(4):
            with phobos.sim(seed=seed):
                faults.same[4](z)  # equal values
                faults.apart[4](y, z)
    assert np.array_equal(z, y + 1)


# Case 56 of docs/cases.md.
@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_90a"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_tutorials_are_clean_in_any_order(arch, seed):
    import phobos

    a, b = halves(128, 192, seed=1), halves(192, 128, seed=2)
    x = np.random.default_rng(0).random(5000, dtype=np.float32)
    plain, c = np.zeros((128, 128), np.float16), np.zeros((128, 128), np.float16)
    with phobos.sim(arch=arch):
        T03.matmul[GRID["matmul"]](a, b, plain)
        with phobos.sim(check="all", seed=seed):
            T03.matmul[GRID["matmul"]](a, b, c)
            z = np.zeros_like(x)
            T01.add[GRID["add"]](x, x, z)
    assert np.array_equal(c, plain)  # the sums have one order, whatever that of the threads
    assert np.array_equal(z, x + x)


@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_90a"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_persistent_and_split_products_are_clean_in_any_order(arch, seed, torch):
    import phobos

    a, b = (torch.from_numpy(halves(*shape, seed=i)) for i, shape in enumerate([(136, 264), (264, 200)]))
    whole, split = torch.full((136, 200), 7.0).half(), torch.full((136, 200), 7.0).half()
    with phobos.sim(arch=arch, check="all", seed=seed):
        T09.matmul[T09.tiles](a, b, whole)
        T09.matmul_split(torch, a, b, split)
    want = a.double() @ b.double()
    assert torch.allclose(whole.double(), want, rtol=1e-3, atol=1e-3)
    assert torch.allclose(split.double(), want, rtol=1e-3, atol=1e-3)


# --- how a launch ends ---------------------------------------------------------------------------------------------------


def test_memory_that_is_not_there_does_not_end_the_process():
    import phobos

    length = 1 << 40  # of which the last element is far from anything
    far = np.lib.stride_tricks.as_strided(np.zeros(4, np.float32), (2,), (length,))
    x = np.zeros(2, np.float32)
    with pytest.raises(phobos.SimulationError, match="the kernel accessed memory that is not there") as caught:
        T01.add[1](far, x, x)
    assert "def add(" in str(caught.value) and "block (0, 0, 0)" in str(caught.value)
    T01.add[1](x, x, x)


def test_ctrl_c_ends_a_kernel_that_would_not(tmp_path):
    script = tmp_path / "endless.py"
    script.write_text(
        textwrap.dedent(
            """
            from __future__ import annotations
            import numpy as np
            import phobos.lang as ph

            @ph.kernel
            def wait(x: ph.tensor[ph.i32][N]):
                i: ph.var = ph.i32(0)
                while x[0] == 0:
                    i += 1
                x[1] = i

            x = np.zeros(8, np.int32)
            print("launched", flush=True)
            try:
                wait[3](x)
            except KeyboardInterrupt:
                x[0] = 1
                wait[1](x)
                print("interrupted", x[1])
            """
        )
    )
    environment = os.environ | {"PHOBOS_TARGET": "host"}
    program = subprocess.Popen(
        [sys.executable, str(script)], env=environment, stdout=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert program.stdout.readline() == "launched\n"
    try:
        program.wait(timeout=1.5)  # it does not end by itself
        raise AssertionError("the kernel ended")
    except subprocess.TimeoutExpired:
        program.send_signal(signal.SIGINT)
    assert program.communicate(timeout=20)[0] == "interrupted 0\n"


# --- profile -------------------------------------------------------------------------------------------------------------

COUNTED = """
@ph.kernel
@ph.launch(128)
def rows(x: ph.tensor[ph.f32][128, 32], y: ph.tensor[ph.f32][128, 32]):
    t = x[:, :]
    y[:, :] = t + 1.0


@ph.kernel
@ph.launch(128)
def columns(x: ph.tensor[ph.f32][128, 32], y: ph.tensor[ph.f32][128, 32]):
    for i in ph.unroll(1):
        t = x[:, 0:+1]
    y[:, 0:+1] = t + 1.0
"""


def test_a_profile_counts_by_line(load_kernels, tmp_path):
    import phobos

    kernels = load_kernels(COUNTED)
    x, y = np.ones((128, 32), np.float32), np.zeros((128, 32), np.float32)
    with phobos.sim(profile=True) as counted:
        kernels.rows[1](x, y)
        kernels.columns[1](x, y)
    profile = counted.profile
    whole, narrow = profile.at("t = x[:, :]"), profile.at("t = x[:, 0:+1]")
    assert (whole.sectors, whole.coalescing) == (128 * 32 * 4 // 32, 1.0)
    assert (narrow.sectors, narrow.coalescing) == (128, 8.0)  # a sector for each row's one element
    assert profile.at("y[:, :] = t + 1.0").instructions["float"] >= 128 * 32
    assert whole.kernel == "rows" and narrow.kernel == "columns"
    assert "kernel rows" in str(profile) and "t = x[:, :]" in str(profile)
    profile.write_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "<td class=source>    t = x[:, :]</td>" in page and page.count("<tr") > len(COUNTED.splitlines())
    kernels.rows[1](x, y)  # nothing is counted any more
    assert not list(phobos.sim(profile=False).profile)


def test_a_profile_sees_bank_conflicts_and_barriers():
    import phobos

    a, b, c = halves(64, 128), halves(128, 64), np.zeros((64, 64), np.float16)
    with phobos.sim(profile=True, arch="sm_80") as counted:
        T03.matmul[GRID["matmul"]](a, b, c)
    lines = list(counted.profile)
    assert sum(line.conflicts for line in lines) == 0  # that is what the swizzle is for
    assert sum(line.wavefronts for line in lines) > 0 and sum(line.barriers for line in lines) > 0
    assert counted.profile.at("acc += ph.dot(a, b)").instructions["mma"] == 128 * 64 * 64 // (16 * 8 * 16) * 32
