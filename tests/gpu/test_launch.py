"""Launches on a real GPU: arrays of each library, streams, CUDA graphs, tuning, chips, threads; and what a launch costs."""

from __future__ import annotations

import threading
import time

import phobos
import phobos.lang as ph
import pytest

torch = pytest.importorskip("torch")

BLOCK = 1024


@ph.kernel
@ph.launch(256)
def add(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N], z: ph.tensor[ph.f32][N]):
    start: ph.let = ph.ctx.block.x * BLOCK
    z[start:+BLOCK] = x[start:+BLOCK] + y[start:+BLOCK]


@ph.kernel
def scale(x: ph.tensor[ph.f32][M, N], alpha: ph.f32, shift: ph.i32):
    row: ph.let = ph.ctx.block.x * 32
    column: ph.let = ph.ctx.block.y * 64
    x[row:+32, column:+64] = x[row:+32, column:+64] * alpha + shift


@ph.kernel
@ph.tensorcore
def product(a: ph.tensor[ph.f16][M, K], b: ph.tensor[ph.f16][K, N], c: ph.tensor[ph.f16][M, N]):
    row: ph.let = ph.ctx.block.x * 32
    column: ph.let = ph.ctx.block.y * 32
    acc: ph.var[ph.tile[ph.f32][32, 32]] = 0.0
    for k in range(0, K, 32):
        acc += ph.dot(a[row:+32, k:+32], b[k:+32, column:+32])
    c[row:+32, column:+32] = acc


@ph.kernel
@ph.autotune(TILE=[128, 512, 2048], threads=[64, 128])
def increment(x: ph.tensor[ph.f32][N]):
    start: ph.let = ph.ctx.block.x * TILE
    x[start:+TILE] = x[start:+TILE] + 1.0


def half_reference(x):
    x.mul_(0.5)


@ph.kernel(reference=half_reference)
@ph.autotune(TILE=[128, 512])
def half(x: ph.tensor[ph.f32][N]):
    start: ph.let = ph.ctx.block.x * TILE
    x[start:+TILE] = x[start:+TILE] * 0.5


def wrong_reference(x):
    x.mul_(0.25)


@ph.kernel(reference=wrong_reference)
@ph.autotune(TILE=[128, 512])
def not_a_quarter(x: ph.tensor[ph.f32][N]):
    start: ph.let = ph.ctx.block.x * TILE
    x[start:+TILE] = x[start:+TILE] * 0.5


def blocks(meta):
    return phobos.cdiv(meta["N"], BLOCK)


def tiles(meta):
    return phobos.cdiv(meta["N"], meta["TILE"])


@pytest.fixture
def three():
    torch.manual_seed(0)
    x, y = (torch.rand(100_003, device="cuda") for _ in range(2))
    return x, y, torch.full_like(x, float("nan"))


def test_torch_tensors(three):
    x, y, z = three
    for _ in range(3):
        z.fill_(float("nan"))
        add[blocks](x, y, z)
        assert torch.equal(z, x + y)


def test_torch_tensors_have_the_exchange_api():
    assert hasattr(torch.Tensor, "__dlpack_c_exchange_api__"), "torch is too old for the fast path, which the tests below take"


def test_parameters_and_subclasses(three):
    x, y, z = three
    parameter = torch.nn.Parameter(x)
    add[blocks](parameter, y, z)
    assert torch.equal(z, x + y)
    leaf = x.clone().requires_grad_()
    add[blocks](leaf, y, z)
    assert torch.equal(z, x + y)


def test_strided_views_and_scalars():
    whole = torch.rand(200, 300, device="cuda")
    for view in (whole[:, :], whole.T, whole[3:180:2, 5:250], whole[:, ::3], whole[:1], whole[:, :1]):
        whole.uniform_()
        want = view * 2.5 - 3
        scale[lambda meta: (phobos.cdiv(meta["M"], 32), phobos.cdiv(meta["N"], 64))](view, 2.5, shift=-3)
        torch.testing.assert_close(view, want)


class Protocol:
    """A tensor that shows one protocol only, as the arrays of a library without the exchange API do."""

    def __init__(self, tensor, *names):
        self.tensor, self.names = tensor, names

    def __getattr__(self, name):
        if name in self.names:
            return getattr(self.tensor, name)
        raise AttributeError(name)


class DlpackOnly:
    def __init__(self, tensor):
        self.tensor, self.asked = tensor, 0

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()

    def __dlpack__(self, **keywords):
        self.asked += 1
        return self.tensor.__dlpack__(**keywords)


def test_dlpack_capsules(three):
    # On torch's default stream: the launch goes to the legacy default one, which waits for it.
    x, y, z = three
    wrapped = [DlpackOnly(tensor) for tensor in three]
    for _ in range(3):
        z.fill_(float("nan"))
        add[blocks](*wrapped)
        torch.cuda.synchronize()
        assert torch.equal(z, x + y)
    assert [array.asked for array in wrapped] == [3, 3, 3]


def test_a_capsule_s_producer_orders_its_stream(three):
    x, y, z = three
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(50_000_000)
        x.fill_(5.0)
        add[blocks](DlpackOnly(x), DlpackOnly(y), DlpackOnly(z))
    torch.cuda.synchronize()
    assert torch.equal(z, y + 5.0)


def test_cuda_array_interface(three):
    x, y, z = three
    add[blocks](*(Protocol(tensor, "__cuda_array_interface__") for tensor in three))
    torch.cuda.synchronize()
    assert torch.equal(z, x + y)


def test_cupy_arrays(three):
    cupy = pytest.importorskip("cupy")
    x, y, z = (cupy.asarray(t) for t in three)
    add[blocks](x, y, z)
    assert bool((z == x + y).all())


def test_jax_arrays(monkeypatch):
    monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # else JAX takes most of the GPU from the tests after this
    jax = pytest.importorskip("jax")
    a, b = (jax.numpy.arange(5000, dtype="float32") * k for k in (1, 2))
    c = torch.empty(5000, device="cuda")
    add[blocks](a, b, c)
    assert c.tolist() == (a + b).tolist()
    with pytest.raises(phobos.LaunchError, match="argument `z`: expected an array that may be stored to, got a read-only one"):
        add[blocks](a, b, jax.numpy.zeros(5000, "float32"))  # JAX's arrays never change: others may share their memory


def test_arrays_of_several_libraries_at_once(three):
    cupy = pytest.importorskip("cupy")
    x, y, z = three
    add[blocks](x, cupy.asarray(y), z)
    assert torch.equal(z, x + y)


def test_a_given_stream_is_used(three):
    x, y, z = three
    add[blocks](x, y, torch.empty_like(z))  # compiled before the clock matters
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(500_000_000)  # a quarter of a second
        finished = torch.cuda.Event()
    add[blocks](x, y, z, stream=stream)
    finished.record(stream)
    torch.cuda.current_stream().synchronize()
    assert not finished.query(), "the launch waits behind what its stream was given before"
    assert torch.isnan(z).all()
    stream.synchronize()
    assert torch.equal(z, x + y)


def test_launches_on_a_stream_are_ordered_with_torch(three):
    x, y, z = three
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(50_000_000)
        source = x * 3
        add[blocks](source, y, z)
        total = z * 2
    stream.synchronize()
    assert torch.equal(total, (x * 3 + y) * 2)


def test_graph_capture(three):
    x, y, z = three
    add[blocks](x, y, z)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        add[blocks](x, y, z)
        add[blocks](z, y, x)
    want = (x + y) + y
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(x, want)


def test_first_launch_inside_a_capture():
    @ph.kernel
    def fresh(x: ph.tensor[ph.f32][N]):
        x[0:+256] = x[0:+256] + 1.0

    x = torch.zeros(256, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        fresh[1](x)
    graph.replay()
    graph.replay()
    torch.cuda.synchronize()
    assert x.tolist() == [2.0] * 256


def test_tuning_leaves_the_arrays_alone():
    increment.clear()
    x = torch.zeros(1 << 20, device="cuda")
    increment[tiles](x)
    torch.cuda.synchronize()
    assert torch.equal(x, torch.ones_like(x)), "run once, whatever tuning ran"
    assert set(increment.best(x)) == {"TILE", "threads"}
    assert len(increment.cache) == 6


def test_tuning_against_a_reference():
    x = torch.rand(1 << 16, device="cuda")
    want = x * 0.5
    half[tiles](x)
    assert torch.equal(x, want)
    with pytest.raises(phobos.LaunchError, match="kernel `not_a_quarter` with TILE = 128 leaves argument `x` different"):
        not_a_quarter[tiles](x)
    assert torch.equal(x, want)


@pytest.mark.parametrize("chip", ["sm_75", "sm_80"])
def test_code_for_older_chips(three, chip):
    x, y, z = three
    with phobos.use_chip(chip):
        add[blocks](x, y, z)
        assert chip in {variant.chip for variant in add.cache}
    assert torch.equal(z, x + y)


def test_errors_name_the_argument(three):
    x, y, z = three
    with pytest.raises(phobos.LaunchError, match="argument `y`: expected dtype f32, got f16"):
        add[blocks](x, y.half(), z)
    with pytest.raises(phobos.LaunchError, match="argument `y`: expected an array on a CUDA device, got one on the CPU"):
        add[blocks](x, y.cpu(), z)
    with pytest.raises(phobos.LaunchError, match=r"argument `y`: expected extent 100003 along axis 0 \(dim `N`\), got 5"):
        add[blocks](x, y[:5], z)
    with pytest.raises(phobos.LaunchError, match="expected 0 to 65535 blocks along y, got 65536"):
        add[1, 65536](x, y, z)


def test_extents_of_zero():
    empty = torch.empty(0, device="cuda")
    add[blocks](empty, empty, empty)
    # Where some array has elements the kernel runs: a product over no terms is zero.
    for m, n, k in ((64, 48, 0), (0, 48, 16), (64, 0, 16)):
        a, b = (torch.rand(shape, device="cuda", dtype=torch.float16) for shape in ((m, k), (k, n)))
        c = torch.full((m, n), float("nan"), device="cuda", dtype=torch.float16)
        product[lambda meta: (phobos.cdiv(meta["M"], 32), phobos.cdiv(meta["N"], 32))](a, b, c)
        torch.cuda.synchronize()
        assert torch.equal(c, a @ b), (m, n, k)


def test_threads_with_their_own_streams():
    failures = []

    def work(seed):
        try:
            with torch.cuda.stream(torch.cuda.Stream()):
                x = torch.full((10_000,), float(seed), device="cuda")
                z = torch.empty_like(x)
                for _ in range(100):
                    add[lambda meta: phobos.cdiv(meta["N"], BLOCK)](x, x, z)
                torch.cuda.current_stream().synchronize()
                assert z.tolist() == [2.0 * seed] * 10_000
        except BaseException as error:
            failures.append(error)

    add.clear()
    threads = [threading.Thread(target=work, args=(i,)) for i in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_thread_without_a_context(three):
    x, y, z = three
    torch.cuda.synchronize()
    failures = []

    def work():
        try:
            add[blocks](x, y, z, stream=0)
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    torch.cuda.synchronize()
    assert failures == [] and torch.equal(z, x + y)


def test_bench_is_near_the_copy_s_time():
    x, y, z = (torch.rand(1 << 26, device="cuda") for _ in range(3))
    ours = phobos.bench(lambda: add[blocks](x, y, z))
    theirs = phobos.bench(lambda: torch.add(x, y, out=z))
    assert 0.5 < ours / theirs < 2


# Case 45 of docs/cases.md. The budget is wide, since machines differ; tools/bench/launch.py measures.
def test_a_warm_launch_takes_a_few_microseconds():
    x, y, z = (torch.rand(1024, device="cuda") for _ in range(3))
    add[1](x, y, z)
    best = float("inf")
    for _ in range(5):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(500):
            add[1](x, y, z)
        best = min(best, (time.perf_counter() - start) / 500)
    assert best < 10e-6, f"{best * 1e6:.2f} us"
