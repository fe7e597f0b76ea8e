"""A sample of the random kernels of tests/fuzz, and every kernel that once failed there, on the simulator with its checks.

What compares them is tested too: a difference is noticed and made smaller, NumPy's rounding is that of each format.
"""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from conftest import ROOT
from fuzz import cases, formats, fuzz_kernels, printed, ranges, shrink

FUZZ = ROOT / "tests" / "fuzz"
DOUBLES = cases.HEADER + "\n\n@ph.kernel\ndef kernel(A: ph.tensor[ph.f32][64], B: ph.tensor[ph.f32][64]):\n    x = A[:]\n    B[:] = x + x\n"


@pytest.fixture(scope="module")
def worker():
    """Runs kernels in a process of its own, which a fault may end."""
    made = fuzz_kernels.Worker("host", {})
    yield made
    made.close()


@pytest.mark.parametrize("path", sorted((FUZZ / "found").glob("*.py")), ids=lambda path: path.stem)
def test_what_was_found(worker, path):
    case = cases.read(path.read_text())
    for seed in (case.seed, 0, 7):
        case.seed = seed
        reply = worker.run(text=str(case))
        assert reply["kind"] == "ok", f"{reply['phase']}\n{reply['text']}"


def test_a_sample():
    command = [sys.executable, str(FUZZ / "fuzz_kernels.py"), "--seed", "1", "--count", "200", "--jobs", "2", "--no-shrink"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "200 kernels in" in done.stdout


def doubles() -> cases.Case:
    return cases.Case(DOUBLES, [cases.Array("A", "f32", (64,), "unit", 1), cases.Array("B", "f32", (64,))])


def test_a_case_is_its_text():
    case = doubles()
    case.seed, case.arguments[0].shift = 5, 3
    assert str(cases.read(str(case))) == str(case)


def test_a_difference_is_noticed():
    case = doubles()
    kernel = cases.load_kernel(case.text)
    buffers = {array.name: cases.Buffer(array) for array in case.arguments}
    memory, _ = cases.expected(case, kernel, [buffer.on_host() for buffer in buffers.values()])
    out = buffers["B"]
    out.view[...] = 2 * buffers["A"].view
    assert not cases.difference(out, memory["B"])
    out.view[17] = np.nextafter(out.view[17], np.float32(9))
    assert "1 of 64 elements of B are wrong, the first at [17]" in cases.difference(out, memory["B"])
    out.raw[out.start - 1] = 0
    assert "1 elements around B have changed" in cases.difference(out, memory["B"])


def test_prints_are_compared():
    line, other = "<case 1>:7: block (1, 0, 0): said3 [0] 1.5 True", "<case 1>:7: block (0, 0, 0): said3 [0] 2 False"

    def prints(x, flag):
        tile, number = ranges.Tile("f32", np.array([1.5, x])), ranges.Tile("bool", np.array(flag))
        return [printed.Print((1, 0, 0), "said3", [tile, number])]

    second = line.replace("[0] 1.5", "[1] 2.5")
    assert not printed.difference(f"{line}\n{second}\n", prints(2.5, True))
    assert "prints 1 lines, not 2" in printed.difference(line, prints(2.5, True))
    assert "prints 'said3 [1] 2.5 True'" in printed.difference(f"{line}\n{second}\n", prints(2.25, True))
    assert "prints 'said3 [0] 1.5 True'" in printed.difference(f"{line}\n{second}\n", prints(2.5, False))
    assert "block (0, 0, 0) prints 1 lines, not 0" in printed.difference(f"{line}\n{other}\n{second}", prints(2.5, True))


@pytest.mark.parametrize("evaluator", ["tile_evaluator", "python_names"])
def test_the_evaluations_are_of_their_own(monkeypatch, evaluator):
    """Each notices when the other says something else."""
    from fuzz import tile_evaluator
    from fuzz.python_values import Value

    if evaluator == "tile_evaluator":
        monkeypatch.setitem(tile_evaluator.SIMPLE, "arith.addf", lambda run, op, a, b: ranges.multiply(a, b))
    else:
        monkeypatch.setattr(Value, "__add__", lambda a, b: a * b)
    verdict = cases.run(doubles())
    assert verdict.kind == "fault"
    assert verdict.phase == ("values" if evaluator == "tile_evaluator" else "front end")


def test_faults_are_told_apart(worker):
    racing = doubles()
    racing.text = racing.text.replace("B[:] = x + x", "B[:] = B[:] + x")
    racing.grid = (2, 1, 1)
    assert worker.run(text=str(racing))["phase"] == "checks"
    wrong = doubles()
    wrong.text = wrong.text.replace("x + x", "x + y")
    reply = worker.run(text=str(wrong))
    assert (reply["kind"], reply["phase"]) == ("refused", "compiling")
    assert fuzz_kernels.summary(reply) == "error: _ is not defined"


def test_a_process_that_ends_is_noticed(worker):
    ends = doubles()
    ends.text += "\n\nimport os\n\nos._exit(3)\n"
    reply = worker.run(text=str(ends))
    assert (reply["kind"], reply["phase"], reply["text"]) == ("fault", "crash", "ended with status 3")
    assert worker.run(text=str(doubles()))["kind"] == "ok"


def test_a_process_that_hangs_is_noticed(worker, monkeypatch):
    monkeypatch.setattr(fuzz_kernels, "TIMEOUT_S", 0.5)
    hangs = doubles()
    hangs.text += "\n\nimport time\n\ntime.sleep(60)\n"
    assert worker.run(text=str(hangs))["phase"] == "hang"


def test_what_fails_is_made_smaller():
    """As if every kernel failed that computes an exponential."""
    case = doubles()
    case.text = case.text.replace("x + x", "ph.exp(x * 2.0) + x") + "    for i in range(3):\n        B[i] = 1.0\n"
    case.grid, case.seed = (4, 1, 1), 9

    def run(text):
        return {"kind": "fault" if "ph.exp" in text else "ok", "phase": "values", "text": "", "case": text}

    smaller = cases.read(shrink.smallest(run(str(case)), run, lambda reply: "")["case"])
    assert "exp(x)" in smaller.text
    assert "for" not in smaller.text
    assert (smaller.grid, smaller.seed) == ((1, 1, 1), 0)


@pytest.mark.parametrize("dtype", ["f8e4m3", "f8e5m2", "f16", "bf16"])
def test_rounding(dtype):
    bits = formats.BITS[dtype]
    raw = np.arange(1 << bits).astype(f"u{bits // 8}")
    raw = raw.view(np.float16) if dtype == "f16" else raw
    with np.errstate(invalid="ignore"):
        values = formats.decoded(raw, dtype)
    finite = np.isfinite(values)
    unsigned = f"u{bits // 8}"
    assert np.array_equal(formats.encoded(values[finite], dtype).view(unsigned), raw[finite].view(unsigned))
    # Between two neighbours: to the nearer, and from the middle to the even one.
    positive = values[: 1 << (bits - 1)]
    positive = positive[np.isfinite(positive)]
    below, above, even = positive[:-1], positive[1:], np.arange(len(positive) - 1) % 2 == 0
    middle = below / 2 + above / 2
    assert np.array_equal(formats.rounded(middle, dtype), np.where(even, below, above))
    assert np.array_equal(formats.rounded(np.nextafter(middle, -np.inf), dtype), below)
    assert np.array_equal(formats.rounded(np.nextafter(middle, np.inf), dtype), above)


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32"])
def test_fma_rounds_once(dtype):
    draw = np.random.default_rng(3)
    x, y, z = (formats.rounded(draw.standard_normal(400) * np.exp2(draw.integers(-6, 7, 400)), dtype) for _ in range(3))
    z = np.where(draw.random(400) < 0.5, formats.rounded(-x * y, dtype), z)  # what is left is small
    got = ranges.fma(*(ranges.Tile(dtype, v) for v in (x, y, z)))
    for a, b, c, result in zip(x, y, z, got.lo):
        exact = Fraction(a) * Fraction(b) + Fraction(c)
        place = Fraction(float(formats.unit(np.array(float(exact)), dtype)))
        assert abs(Fraction(result) - exact) <= place / 2


def test_integers_round_once():
    draw = np.random.default_rng(4)
    numbers = np.concatenate([draw.integers(-(2**63), 2**63, 200), np.array([2**53 + 1, 2**60 + 1, 2**62 + 2**38, 2**63 - 1, -(2**63)])])
    for number, got in zip(numbers, formats.integer_to_float(numbers, "f32")):
        assert got == np.float32(int(number)), number
