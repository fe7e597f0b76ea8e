"""Every barrier, wait, fence and commit that the compiler emits is needed, and the checkers see when it is not there.

Each ordering instruction of a kernel's lowered code is left out in turn. The simulator must report it, in its fixed order and
under seeds; the code as it is must run right and silently. None is excused.
"""

from __future__ import annotations

import copy
import re

import numpy as np
import pytest
from conftest import CHIPS, ROOT, import_file
from lowered import Lowered, blocks, ordering_lines, without
from simulated import torch_on_host

T03 = import_file(ROOT / "examples" / "tutorials" / "t03_matmul.py")
tutorials = import_file(ROOT / "tools" / "lib" / "tutorials.py")
modules = import_file(ROOT / "tests" / "python" / "test_simulator_modules.py")
KERNELS = import_file(ROOT / "tests" / "python" / "mutation_kernels.py").KERNELS
SEEDS = (0, 1, 2)


def random(*shape: int, dtype=np.float16) -> np.ndarray:
    return (np.random.default_rng(len(shape)).random(shape) - 0.5).astype(dtype)


def matmul(arch: str):
    a, b, c = random(128, 448), random(448, 64), np.zeros((128, 64), np.float16)  # the last turn in the first slot, on every chip
    return Lowered(T03.matmul, a, b, c, arch=arch, grid=(2, 1)), c, a.astype(np.float64) @ b.astype(np.float64), 2e-3


CASES = {
    "matmul-sm_75": lambda k: matmul("sm_75"),
    "matmul-sm_80": lambda k: matmul("sm_80"),
    "matmul-sm_90a": lambda k: matmul("sm_90a"),
}


def case(name: str, grid: int, tolerance: float, reference, *shapes, dtype=np.float32, out=np.float32, arch="sm_80", without_work=False):
    def make(kernels):
        given = [random(*shape, dtype=dtype) for shape in shapes[:-1]]
        result = np.zeros(shapes[-1], out)
        want = reference(*(array.astype(np.float64) for array in given))
        lowered = Lowered(getattr(kernels, name), *given, result, arch=arch, grid=grid)
        lowered.without_work = without_work
        return lowered, result, want, tolerance

    CASES[f"{name}-{arch}"] = make


case("total", 1, 1e-4, lambda x: x.sum(keepdims=True), (4096,), (1,))
case("turn", 1, 1e-3, lambda x: x.T + 1, (64, 48), (48, 64), dtype=np.float16, out=np.float16)
case("rows", 1, 1e-6, lambda x: x - x.max(1, keepdims=True), (2, 1024), (2, 1024))
for chip in ("sm_80", "sm_90a"):
    case("deep", blocks(128, 64), 1e-4, lambda a, b: a @ b, (128, 256), (256, 64), (128, 64), dtype=np.float16, arch=chip)
case("exact", 1, 1e-5, lambda a, b: a @ b, (64, 128), (128, 64), (64, 64))
case("summed", 1, 1e-3, lambda a, b: (a @ b).sum(1, keepdims=True), (64, 64), (64, 64), (64, 1), dtype=np.float16)
case("strips", 1, 1e-4, lambda a, b: a @ b, (64, 96), (96, 128), (64, 128), dtype=np.float16)
case("bands", 1, 1e-3, lambda a, b: a @ b, (128, 224), (224, 192), (128, 192), dtype=np.float16, out=np.float16, arch="sm_90a")
case("chain", 1, 2e-3, lambda a, b: (a @ b.T) @ b, (64, 64), (160, 64), (64, 64), dtype=np.float16, out=np.float16, arch="sm_90a")
case("chains", 4, 2e-3, lambda a, b: (a @ b.T) @ b, (256, 64), (160, 64), (256, 64), dtype=np.float16, out=np.float16, arch="sm_90a")
case("still", 1, 2e-3, lambda a, b: (a @ b.T) @ b, (64, 256), (96, 256), (64, 256), dtype=np.float16, arch="sm_90a")
short = lambda a, b: np.concatenate([(a[:384] @ b[:32].T) @ b[:32], (a[384:] @ b.T) @ b])  # noqa: E731
case("stills", 10, 2e-3, short, (640, 256), (128, 256), (640, 256), dtype=np.float16, arch="sm_90a")
powers = lambda a, b: np.exp2(a @ b.T - (a @ b.T).max(1, keepdims=True)) @ b  # noqa: E731
case("online", 1, 2e-3, powers, (64, 64), (160, 64), (64, 64), dtype=np.float16, out=np.float16, arch="sm_90a")
case("onlines", 4, 2e-3, powers, (256, 64), (160, 64), (256, 64), dtype=np.float16, out=np.float16, arch="sm_90a")
gradients = lambda a, b: np.exp2(a @ b.T * 0.1) @ b + (np.exp2(a @ b.T * 0.1) * (a @ b.T * 0.5)) @ b  # noqa: E731
case("gradients", 1, 2e-3, gradients, (64, 64), (160, 64), (64, 64), dtype=np.float16, arch="sm_90a")
case("ahead", 10, 2e-3, short, (640, 64), (160, 64), (640, 64), dtype=np.float16, out=np.float16, arch="sm_90a")
parts = lambda a, b: [(a[64 * x :][:64] @ b[: x // 2 * 32].T) @ b[: x // 2 * 32] / 2 for x in range(10)]  # noqa: E731
case("idle", 10, 2e-3, lambda a, b: np.concatenate(parts(a, b)), (640, 64), (160, 64), (640, 64), dtype=np.float16, out=np.float16, arch="sm_90a", without_work=True)
case("pair", 1, 1e-3, lambda a, b: -(a @ b), (64, 160), (160, 64), (64, 64), dtype=np.float16, arch="sm_90a")
for chip, k in (("sm_80", 192), ("sm_90a", 160)):
    case("walk", 5, 1e-3, lambda a, b: a @ b, (64, k), (k, 640), (64, 640), dtype=np.float16, out=np.float16, arch=chip)
shapes = (64, 5, 160), (5, 160, 128), (64, 5, 128)
case("batches", 5, 1e-3, lambda a, b: np.einsum("mlk,lkn->mln", a, b), *shapes, dtype=np.float16, out=np.float16, arch="sm_90a")
case("drawn", 10, 1e-3, lambda a, b: a @ b, (64, 64), (64, 1280), (64, 1280), dtype=np.float16, out=np.float16, arch="sm_90a")
case("dealt", 10, 1e-6, lambda x: x + 1, (1280,), (1280,))
case("round", 4, 1e-6, lambda x, y: np.roll(x + 1, -3, 0), (4, 64), (4, 64), (4, 64))
shapes = (128, 96), (96, 384), (384,), (128, 384), (128, 384)
case("fused", 3, 1e-3, lambda a, b, v, d: (a @ b + v).clip(min=0), *shapes, dtype=np.float16, out=np.float16, arch="sm_90a")
case("together", (2, 2), 1e-3, lambda a, b: a @ b, (128, 160), (160, 128), (128, 128), dtype=np.float16, out=np.float16, arch="sm_90a")
case("beside", 5, 1e-3, lambda a, b: a @ b, (64, 160), (160, 640), (64, 640), dtype=np.float16, out=np.float16, arch="sm_90a")



@pytest.fixture(autouse=True)
def on_host():
    import phobos

    with phobos.target("host"):
        yield


def outcome(lowered: Lowered, text: str, seed: int, result, want, tolerance) -> str:
    """What the checkers say of it, "wrong values", or nothing."""
    import phobos

    result[...] = np.nan
    with phobos.sim(check="all", seed=seed):
        try:
            lowered.run(text)
        except phobos.SimulationError as error:
            return str(error)
    return "" if np.abs(result - want).max() <= tolerance * np.abs(want).max() else "wrong values"


def unseen(lowered: Lowered, say) -> list:
    """The ordering instructions that can be left out without an error under some seed; `say(text, seed)` is the outcome."""
    for seed in SEEDS:
        assert say(lowered.text, seed) == ""
    found = []
    fences = [line for line in lowered.ordering_lines() if "wgmma.fence" in lowered.text.splitlines()[line]]
    for line in lowered.ordering_lines():
        if line in fences[1:]:
            # No thread touches the sums between two turns' groups, so that PTX asks for none; but where they pass through a loop ptxas puts
            # one in itself, and says so (C7519).
            continue
        said = [say(lowered.without(line), seed) for seed in SEEDS]
        if not all("error: " in each for each in said):
            found.append((line, lowered.text.splitlines()[line].strip(), [each.splitlines()[:1] for each in said]))
    return found


@pytest.mark.parametrize("name", CASES)
def test_each_instruction_that_orders_is_missed(name, load_kernels):
    lowered, result, want, tolerance = CASES[name](load_kernels(KERNELS))
    assert lowered.ordering_lines(), "this kernel orders nothing"
    assert not unseen(lowered, lambda text, seed: outcome(lowered, text, seed, result, want, tolerance))


def launches_of(path, monkeypatch) -> list:
    """What a tutorial's check launches, the first of each kernel: the kernel, its grid, its arguments before and after."""
    from phobos.kernel import Kernel

    original, found = Kernel.__getitem__, {}

    def recording(kernel, grid):
        def launch(*args, **keywords):
            grids = []
            known = (lambda meta: grids.append(grid(meta)) or grids[-1]) if callable(grid) else grid
            before = [a.numpy().copy() if hasattr(a, "numpy") else a for a in args]
            original(kernel, known)(*args, **keywords)
            after = [a.numpy().copy() if hasattr(a, "numpy") else a for a in args]
            found.setdefault(kernel.__name__, (kernel, grids[-1] if grids else grid, before, after))

        return launch

    with monkeypatch.context() as patch:
        patch.setattr(Kernel, "__getitem__", recording)
        for torch in torch_on_host():
            assert tutorials.load(path).check(torch)[0]
    return list(found.values())


def waits_for_word(lines: list[str], line: int) -> bool:
    """The producer's wait for a queue's word, in front of what puts the counter back: blocks of as many turns as there are slots imply it. `ahead` and `idle` above have
    shorter ones, and show it."""
    return "mbarrier.try_wait" in lines[line] and any("llvm.atomicrmw xchg" in each for each in lines[line : line + 25])


@pytest.mark.slow
@pytest.mark.parametrize("path", tutorials.find([]), ids=lambda path: path.stem)
def test_each_instruction_that_orders_a_tutorial_is_missed(path, monkeypatch):
    """Each in one of its launches at least: a queue's slot is waited for where blocks are short, and so on."""
    import phobos

    missed = {}  # by the text: what no launch of it yet has shown to be needed
    for kernel, grid, before, after in launches_of(path, monkeypatch):
        seen = set()
        for chip in CHIPS:
            lowered = Lowered(kernel, *copy.deepcopy(before), arch=chip, grid=grid, **kernel.best(*before, grid=grid))
            way = re.sub(r"sm_\d+a?", "", lowered.text)
            if way in seen:  # as another chip does it
                continue
            if path.stem == "t03_matmul" and lowered.text == matmul(chip)[0].text and f"matmul-{chip}" in CASES:
                continue  # shown above, where the last turn lies in the slot whose memory C takes
            seen.add(way)

            def say(text: str, seed: int) -> str:
                for array, given in zip(lowered.arguments, before):
                    if isinstance(array, np.ndarray):  # else a scalar
                        array[...] = given
                with phobos.sim(check="all", seed=seed):
                    try:
                        lowered.run(text)
                    except phobos.SimulationError as error:
                        return str(error)
                close = all(np.allclose(x, y, atol=1e-2, rtol=0, equal_nan=True) for x, y in zip(lowered.arguments, after))
                return "" if close else "wrong values"

            lines = lowered.text.splitlines()
            found = {line: instruction for line, instruction, _ in unseen(lowered, say) if not waits_for_word(lines, line)}
            missed[way] = {line: found[line] for line in missed.get(way, found) if line in found}
    assert not [each for each in missed.values() if each]


# Kernels that another generator wrote, and what of theirs need not be there; lines are counted from 1.
MODULES = {
    "ampere_gemm": (lambda: modules.ampere_gemm(160), {}),
    "hopper_gemm": (modules.test_hopper_gemm, {258: "a fence before sums that nothing but wgmmas has touched"}),
    "hopper_attention": (
        modules.test_hopper_attention,
        dict.fromkeys((88, 90, 92, 94, 96), "mbarriers that are not used where each block has one tile")
        | {120: "the wait for a slot that is free at first", 179: "the wait for a slot of V: that for a later slot of K includes it"}
        | {846: "a fence before sums that begin at zero", 1611: "the barrier before the first use of memory for O"},
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", MODULES)
def test_each_instruction_that_orders_another_generator_s_kernel_is_missed(name, monkeypatch):
    import phobos

    work, superfluous = MODULES[name]
    text, unseen = modules.text_of(name), []
    for line in ordering_lines(text):
        monkeypatch.setattr(modules, "text_of", lambda _, line=line: without(text, line))
        for seed in SEEDS[:2]:
            with phobos.sim(check="all", seed=seed):
                try:
                    work()
                    unseen.append(line + 1)
                except phobos.SimulationError:
                    pass
    assert sorted(set(unseen)) == sorted(superfluous)


def test_a_padded_tile_stays_inside_its_tensor(load_kernels):
    """1000 bytes are 62.5 vectors of 16."""
    import phobos

    kernel = load_kernels(
        """
@ph.kernel
@ph.launch(32)
def copy(x: ph.tensor[ph.i8][1000], y: ph.tensor[ph.i8][1000]):
    y[:] = x[:]
"""
    ).copy
    x = np.arange(1000, dtype=np.int8)
    around = np.full(1040, 77, np.int8)
    with phobos.sim(check="bounds"):
        kernel[1](x, around[:1000])
    assert np.array_equal(around[:1000], x) and (around[1000:] == 77).all()
