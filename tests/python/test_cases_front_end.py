"""What other tile languages' users were told, or not told, about their kernels: messages, `return`, unknown chips, mutated kernels.

The numbers are those of docs/cases.md.
"""

from __future__ import annotations

import random
import re
import subprocess

import numpy as np
import phobos
import pytest
from conftest import CHIPS, ROOT

HEAD = "from __future__ import annotations\nimport phobos.lang as ph\n\n\n"


def compiled(phobosc: str, folder, text: str, *arguments: str, chip: str = "sm_80") -> subprocess.CompletedProcess:
    (folder / "kernel.py").write_text(text if "import phobos" in text else HEAD + text)
    command = [phobosc, "kernel.py", "--arch", chip, "-o", str(folder / "out"), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("part", ["0::2", "::2", "0:64:2", "::-1", ":64:1", "::n"])
def test_case_14_a_slice_with_a_step_is_refused(part, phobosc, tmp_path):
    text = f"@ph.kernel\ndef even(x: ph.tensor[ph.f32][M, N], y: ph.tensor[ph.f32][M, N], n: ph.i32):\n    y[0:+8, 0:+32] = x[0:+8, {part}]\n"
    done = compiled(phobosc, tmp_path, text)
    assert done.returncode == 1
    assert re.match(r"kernel\.py:7:\d+: error: a slice with a step is not supported\n", done.stderr)
    assert "hint: take every element of a span, or pass a tensor with that stride" in done.stderr


CARRIED = """
@ph.kernel
def halved(A: ph.tensor[ph.f16][N], B: ph.tensor[ph.f16][N]):
    x: ph.var = A[0:+64]
    for i in range(3):
        x = x * ph.f32(0.5)
    B[0:+64] = x
"""


def test_case_23_an_error_names_both_types(phobosc, tmp_path):
    done = compiled(phobosc, tmp_path, CARRIED)
    assert done.returncode == 1
    assert re.search(r"^kernel\.py:10:13: error: `x` is f16\[64\], got f32\[64\]$", done.stderr, re.M)
    assert re.search(r"^kernel\.py:8:5: note: `x` is first set here$", done.stderr, re.M)
    assert "hint: convert the value: ph.f16(...)" in done.stderr


DEEP = """
@ph.kernel
@ph.tensorcore
{how}
@ph.aligned(M=256, N=256, K=32)
def product(a: ph.tensor[ph.f32][M, K], b: ph.tensor[ph.f32][K, N], c: ph.tensor[ph.f32][M, N]):
    acc: ph.var[ph.tile[ph.f32][256, 256]] = 0.0
    for k in range(0, K, {k}):
        acc += ph.dot(a[0:+256, k:+{k}], b[k:+{k}, 0:+256])
    c[0:+256, 0:+256] = acc
"""


@pytest.mark.parametrize("how", ["@ph.pipeline(stages={})", "@ph.autotune(stages=[{}])"], ids=["asked", "tuned"])
@pytest.mark.parametrize("chip, room, fits", [("sm_80", 166912, 2), ("sm_90a", 232448, 3)])
def test_case_40_too_much_shared_memory_is_itemised(chip, room, fits, how, phobosc, tmp_path):
    done = compiled(phobosc, tmp_path, DEEP.format(how=how.format(8), k=32), chip=chip)
    assert done.returncode == 1
    assert f"error: kernel needs 524288 bytes of shared memory; {chip} has {room} for a CTA" in done.stderr
    buffers = re.findall(r"kernel\.py:13:9: note: (\d+) bytes: 8 slots of (\d+ x \d+) f32", done.stderr)
    assert buffers == [("262144", "256 x 32"), ("262144", "32 x 256")]
    assert f"hint: at most {fits} stages of these tiles fit; or take smaller tiles" in done.stderr
    done = compiled(phobosc, tmp_path, DEEP.format(how=how.format(fits), k=32), chip=chip)
    assert (done.returncode, done.stderr) == (0, ""), "what the hint says does fit"


def test_case_40_tiles_too_large_for_one_stage_have_a_hint(phobosc, tmp_path):
    done = compiled(phobosc, tmp_path, DEEP.format(how="@ph.pipeline(False)", k=256))
    assert done.returncode == 1 and "bytes of shared memory; sm_80 has 166912 for a CTA" in done.stderr
    assert "smaller tiles" in done.stderr


RETURNS = """
@ph.fn
def first_at_least(A, n, limit):
    for i in range(n):
        if A[i] >= limit:
            return i
    return -1


@ph.fn
def nested(A, n, limit):
    i: ph.var = 0
    while i < n:
        for j in range(i, i + 4):
            if j < n:
                if A[j] >= limit:
                    return j * 10
        i += 4
    return -10


@ph.fn
def sign(x):
    if x > 0:
        return 1.0
    elif x < 0:
        return -1.0
    return x


@ph.fn
def unrolled(x):
    for i in ph.unroll(3):
        if i == 1:
            return x + i
    return x


@ph.fn
def pair(A, n):
    for i in range(n):
        if A[i] > 4:
            return A[i], i
    return 0.0, n


@ph.fn
def caller(A, n):
    for i in range(n):
        if sign(A[i]) < 0:
            return first_at_least(A, n, 5.0)
    return -100


@ph.kernel
@ph.launch({threads})
def returns(A: ph.tensor[ph.f32][N], limit: ph.f32, O: ph.tensor[ph.f32][10], T: ph.tensor[ph.f32][64]):
    O[0] = first_at_least(A, N, limit)
    O[1] = nested(A, N, limit)
    O[2] = sign(A[0])
    O[3] = unrolled(A[0])
    a, i = pair(A, N)
    O[4] = a
    O[5] = i
    O[6] = caller(A, N)
    t: ph.var[ph.tile[ph.f32][64]] = 0.0
    for i in range(N):
        t += A[i]
        if A[i] >= limit:
            O[7] = i
            T[0:+64] = t
            return
        while A[i] < 0:
            O[8] = A[i]
            if i == 2:
                return
            break
    O[9] = 1.0
"""


class Language:
    """The few names of the language that the functions above use, as Python."""

    fn = staticmethod(lambda function: function)
    unroll = range


@pytest.mark.parametrize("threads", [32, 128])
@pytest.mark.parametrize("limit", [5.0, 100.0, -1.0])
def test_case_41_returns_from_loops_and_branches(limit, threads, load_kernels):
    text = RETURNS.format(threads=threads)
    python: dict = {"ph": Language}
    exec("from __future__ import annotations\n" + text.partition("@ph.kernel")[0], python)
    kernel = load_kernels(text).returns
    for given in ([0, 1, 2, 3, 4, 5, 6, 7], [0, -1, 2, 3, 4, 5, 6, 7], [3, 1, -2, 3], [-4], [1, 1, 1, 1, 1, 1, 9]):
        a, o, t = np.array(given, np.float32), np.full(10, 77, np.float32), np.full(64, 77, np.float32)
        with phobos.target("host"), phobos.sim(check="all"):
            kernel[1](a, limit, o, t)
        want_o, want_t = expected(python, given, limit)
        assert o.tolist() == want_o and t.tolist() == [want_t] * 64


def expected(python: dict, a: list, limit: float):
    n = len(a)
    o = [
        python["first_at_least"](a, n, limit),
        python["nested"](a, n, limit),
        python["sign"](a[0]),
        python["unrolled"](a[0]),
    ]
    o += [*python["pair"](a, n), python["caller"](a, n), 77, 77, 77]
    for i, x in enumerate(a):
        if x >= limit:
            o[7] = i
            return o, sum(a[: i + 1])
        if x < 0:
            o[8] = x
            if i == 2:
                return o, 77
    o[9] = 1
    return o, 77


UNDECIDED = "@ph.fn\ndef f(x):\n    if x > 0:\n        return 1.0\n\n\n@ph.kernel\ndef k(A: ph.tensor[ph.f32][N]):\n    A[0] = f(A[0])\n"
TWO_TYPES = UNDECIDED.replace("\n\n\n@ph.kernel", "\n    return ph.zeros((4,))\n\n\n@ph.kernel")


@pytest.mark.parametrize("text", [UNDECIDED, TWO_TYPES], ids=["some paths", "two types"])
def test_case_41_returns_that_cannot_be_are_shown(text, phobosc, tmp_path):
    done = compiled(phobosc, tmp_path, text)
    assert done.returncode == 1 and re.match(r"kernel\.py:\d+:\d+: error: .*\n.*\n +\^", done.stderr), done.stderr


# --- mutated kernels ------------------------------------------------------------------------------------------------------

TOKEN = re.compile(r"[A-Za-z_][\w.]*|\d[\w.]*|[ \t]+|\n|:\+|[^\w\s]")
NUMBERS = ["0", "1", "-1", "3", "7", "24", "33", "1000", "4096", "1048577", "2147483648", "0.5", "1e39", "True", "None"]
NAMES = [
    "ph.f16",
    "ph.i8",
    "ph.bool",
    "ph.f64",
    "ph.u64",
    "ph.sum",
    "ph.dot",
    "ph.where",
    "ph.max",
    "ph.cumsum",
    "ph.ctx.block.y",
    "N",
    "range",
]


def mutated(text: str, draw: random.Random) -> str:
    """The text with one to three tokens left out, doubled, exchanged or replaced."""
    tokens = TOKEN.findall(text)
    start = next(i for i, token in enumerate(tokens) if token == "ph.kernel")
    for _ in range(draw.choice((1, 1, 2, 3))):
        places = [i for i in range(start, len(tokens)) if tokens[i].strip()]
        i, j = draw.choice(places), draw.choice(places)
        word = tokens[i]
        if word[0].isdigit() and draw.random() < 0.8:
            tokens[i] = draw.choice(NUMBERS)
        elif word[0].isalpha() and draw.random() < 0.8:
            names = [t for t in tokens[start:] if t[:1].isalpha()]
            tokens[i] = draw.choice(names + NAMES)
        else:
            change = draw.choice(("drop", "double", "exchange", "copy"))
            if change == "drop":
                tokens[i] = ""
            elif change == "double":
                tokens[i] = word + " " + word
            elif change == "exchange":
                tokens[i], tokens[j] = tokens[j], tokens[i]
            else:
                tokens[i] = tokens[j]
    return "".join(tokens)


def sources() -> list[str]:
    tutorials = sorted((ROOT / "examples" / "tutorials").glob("t*.py"))
    return [re.split(r"\n(?=def (?:check|main)|if __name__)", path.read_text())[0] for path in tutorials]


def mutant(number: int) -> tuple[str, list[str], str]:
    """A text, options that name a kernel of the unchanged text, and a chip; decided by the number."""
    draw = random.Random(f"mutant {number}")
    text = draw.choice(sources())
    kernel = draw.choice(re.findall(r"^@ph\.kernel.*\n(?:@.*\n)*def (\w+)", text, re.M))
    return mutated(text, draw), ["--kernel", kernel], draw.choice(CHIPS)


def is_explained(done: subprocess.CompletedProcess) -> bool:
    """Compiled, an error with a place (or of a command line that names what it lacks), or a reproducer."""
    if done.returncode == 0:
        return True
    if done.returncode == 3:
        return "reproducer" in done.stderr
    placed = re.search(r"^kernel\.py:\d+:\d+: error: .+\n(?: .*\n) *\^", done.stderr, re.M)
    general = re.search(r"^error: .+\n(?:kernels: .+\n)?hint: .+", done.stderr, re.M)
    inside = re.search(r"\.cpp|0x[0-9a-f]{6}|Assertion|'(arith|scf|tile|dot|llvm)\.", done.stderr)
    return done.returncode in (1, 2) and bool(placed or general) and not inside


def test_case_42_every_failure_is_explained(phobosc, tmp_path):
    failed = 0
    for number in range(400):
        text, options, chip = mutant(number)
        done = compiled(phobosc, tmp_path, text, *options, chip=chip)
        assert is_explained(done), f"mutant {number} for {chip}: {done.returncode}\n{done.stderr}\n{text}"
        failed += done.returncode != 0
    assert failed > 200, "mutants are mostly wrong"


@pytest.mark.parametrize("chip", ["sm_70", "sm_999", "sm_90", "compute_80"])
def test_case_44_an_unsupported_chip_is_told_at_once(chip, phobosc, tmp_path, load_kernels):
    text = "@ph.kernel\ndef zero(x: ph.tensor[ph.f32][N]):\n    x[0:+64] = 0.0\n"
    done = compiled(phobosc, tmp_path, text, chip=chip)
    assert done.returncode == 2 and done.stderr.startswith(f"error: unknown chip '{chip}'; ")
    with pytest.raises(phobos.CompileError) as raised:
        load_kernels(text).zero.compile(arch=chip)
    for supported in CHIPS:
        assert supported in done.stderr and supported in str(raised.value)
