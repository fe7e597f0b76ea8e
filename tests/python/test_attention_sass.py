"""Tutorial 06's machine code for sm_90a, as nvdisasm writes it: in the loops with tensor core instructions nothing is spilled, no product is
serialised, descriptors stay in uniform registers, and what a product of every turn takes from registers is not overwritten."""

from __future__ import annotations

import collections
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sysconfig
import types

import pytest
from conftest import ROOT, import_file

ASSEMBLES = import_file(ROOT / "tests" / "python" / "test_attention_assembles.py")
TOO_LARGE = ("attention", (256, 64, 4, 512), 128)  # for shared memory
FORWARD = [("attention", *each) for each in itertools.product(ASSEMBLES.FORWARD, (64, 128), (False, True))]
KEYS = [("key_gradients", *each) for each in (((64, 32, 2, 128), 64, True), ((128, 64, 2, 256), 64, True), ((128, 32, 3, 256), 128, False))]
QUERIES = [("query_gradients", *each) for each in (((128, 64, 3, 256), 64, False), ((128, 64, 3, 256), 128, True), ((128, 128, 2, 256), 64, True))]
MUTATED = ("query_gradients", (64, 64, 2, 128), 64, True)
MOST_R2UR = 8  # in a loop of the forward kernel; three for each tensor core instruction were measured as 5 to 10 % slower


@pytest.fixture(scope="session")
def nvdisasm() -> str:
    cuda = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "bin" / "nvdisasm"
    installed = pathlib.Path(sysconfig.get_path("purelib"), "nvidia").glob("*/bin/nvdisasm")  # by pip
    found = os.environ.get("PHOBOS_NVDISASM") or shutil.which("nvdisasm") or next((str(p) for p in (cuda, *installed) if os.access(p, os.X_OK)), None)
    return found or pytest.skip("no nvdisasm in PHOBOS_NVDISASM, on PATH, in CUDA_HOME or installed by pip: run tools/setup")


@pytest.fixture
def sass_of(ptxas, nvdisasm, tmp_path):
    def run(compiled) -> str:
        ASSEMBLES.assemble(compiled, ptxas, tmp_path)
        return subprocess.run([nvdisasm, "-c", str(tmp_path / "cubin")], check=True, capture_output=True, text=True).stdout

    return run


def compiled(kernel: str, parameters, d: int, causal: bool):
    x, sums = ASSEMBLES.arrays(d)
    rest = {"attention": (sums,), "key_gradients": (sums, sums, x, x), "query_gradients": (sums, sums, x)}[kernel]
    names = ("BN", "BM", "stages", "threads") if kernel == "key_gradients" else ("BM", "BN", "stages", "threads")
    constants = dict(zip(names, parameters, strict=True))
    return getattr(ASSEMBLES.TUTORIAL, kernel).compile(x, x, x, x, *rest, 1.0, causal, d, arch="sm_90a", **constants)


class Instruction:
    def __init__(self, text: str):
        self.text = text
        guard, self.op, operands = re.fullmatch(r"(@!?U?P\w+)?\s*([\w.]+)\s*(.*)", text).groups()
        self.goes_on = bool(guard) or "," in operands or not re.match("BRA|EXIT|RET", self.op)  # a comma: BRA has a condition as an operand
        self.target = re.sub(r".*`\((.*)\)", r"\1", operands) if self.op.startswith("BRA") else None
        self.is_wgmma = self.op.startswith("HGMMA")
        self.writes = self.a = range(0)  # vector registers
        # The destination is the first operand, or comes behind predicates, as SHFL's does. These only read, or write predicates:
        if (first := re.match(r"(?:U?P[0-9T], )*R(\d+)", operands)) and not re.match(r".*SETP|BAR|WARPSYNC|NANOSLEEP|RET|CALL", self.op):
            width = 2 if re.match(r"LD.*\.64|IMAD\.WIDE|CS2R(?!\.32)|D(ADD|MUL|FMA)|F2F\.F64", self.op) else 1
            width = 4 if re.match(r".*(\.128|88\.4)|HMMA", self.op) else width
            width = int(re.match(r"HGMMA\.64x(\d+)x16\.F32", self.op)[1]) // 2 if self.is_wgmma else width
            self.writes = range(int(first[1]), int(first[1]) + width)
        if self.is_wgmma and (a := re.match(r"R\d+, R(\d+)", operands)):  # else A is in shared memory
            self.a = range(int(a[1]), int(a[1]) + 4)


def wgmma_loops(sass: str):
    """(instructions, [(where a loop begins, where its instructions are, in the order of the text)]), of loops with HGMMAs the innermost. A loop is what
    leads to a branch back to its begin, which is more than the text between: waits that fail at first stand behind the kernel, and branch back too."""
    code, labels, before, loops = [], {}, collections.defaultdict(list), collections.defaultdict(set)
    for line in sass.splitlines():
        if label := re.match(r"(\.L_x_\d+):", line):
            labels[label[1]] = len(code)
        elif instruction := re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;", line):
            code.append(Instruction(instruction[1]))
    branches = [(i, labels[each.target]) for i, each in enumerate(code) if each.target]
    for i, to in [*branches, *((i, i + 1) for i, each in enumerate(code) if each.goes_on)]:
        before[to].append(i)
    for end, begin in branches:
        loop, work = {begin}, [end] if begin <= end else []
        while work:
            if (at := work.pop()) not in loop:
                loop.add(at)
                work += before[at]
        if 0 not in loop:  # else the branch can be reached from the kernel's begin without the loop's
            loops[begin] |= loop
    loops = {begin: loop for begin, loop in loops.items() if any(code[i].is_wgmma for i in loop)}
    return code, [(begin, sorted(loop)) for begin, loop in loops.items() if not any(other < loop for other in loops.values())]


def faults(sass: str, most_r2ur: int | None = None) -> list[str]:
    code, loops = wgmma_loops(sass)
    found = [] if loops else ["no loop with HGMMA"]
    for begin, loop in loops:
        found += [f"spill: {code[i].text}" for i in loop if re.match("STL|LDL", code[i].op)]
        if most_r2ur is not None and (moves := sum(code[i].op.startswith("R2UR") for i in loop)) > most_r2ur:
            found.append(f"{moves} R2UR")
        product = []
        for i in (i for i in loop if code[i].is_wgmma):
            product.append(i)
            if "gsb0" not in code[i].text:
                continue
            if len(product) == 1:  # ptxas ends every instruction so that it serialises; a product here has two or more
                found.append(f"serialised: {code[i].text}")
            held = {r for j in product for r in (*code[j].writes, *code[j].a)}
            between = [code[j] for j in loop if product[0] < j < product[-1] and not code[j].is_wgmma]
            found += [f"inside a product: {each.text}" for each in between if "DEPBAR" in each.op or held.intersection(each.writes)]
            product = []
        # ptxas up to 13.0 gives A's registers to other values though the next turn needs them (KeepOperands.cpp). Only A that is loaded from global memory
        # last in front of the loop is looked at: probabilities of the turn before, say, are changed on purpose, as is what the loop itself loads.
        for r, user in {r: i for i in reversed(loop) for r in code[i].a}.items():
            writers = [i for i in loop if r in code[i].writes]
            outside = [i for i in range(begin) if i not in loop and r in code[i].writes]
            loads = [i for i in outside[-1:] + writers if code[i].op.startswith("LDG")]
            if writers and writers[0] > user and loads and loads == outside[-1:]:
                found.append(f"overwritten: R{r} of {code[user].text} by {code[writers[0]].text}")
    return found


@pytest.mark.parametrize("kernel,parameters,d,causal", [each for each in FORWARD + KEYS + QUERIES if each[:3] != TOO_LARGE], ids=str)
def test_loops(kernel, parameters, d, causal, sass_of):
    made = compiled(kernel, parameters, d, causal)
    if "wgmma.mma_async" in made.ptx:
        found = faults(sass_of(made), MOST_R2UR if kernel == "attention" else None)
        assert not found, "\n".join(found)


def test_lost_operand_is_found(ptxas, sass_of):
    ptx = compiled(*MUTATED).ptx
    without = re.sub(r".*%nctaid\.z; setp\.eq\.u32 p, t, 0xffffffff;.*", "", ptx)
    assert without != ptx
    version = re.search(r"release (\d+)\.(\d+)", subprocess.run([ptxas, "--version"], check=True, capture_output=True, text=True).stdout)
    if tuple(map(int, version.groups())) < (13, 1):  # measured: 12.6, 12.9 and 13.0 lose operands, 13.1 to 13.5 do not
        found = faults(sass_of(types.SimpleNamespace(ptx=without)))
        assert found and all(each.startswith("overwritten: ") for each in found), found


def test_edits_are_found(sass_of):
    """The machine code with an instruction too many behind each HGMMA that does not end a product, and as ptxas serialises it."""
    sass = sass_of(compiled(*MUTATED))
    assert not faults(sass, MOST_R2UR)
    edits = [("STL [R1], R0", "spill"), ("@P0 LDL.64 R2, [R1]", "spill"), ("WARPGROUP.DEPBAR.LE gsb0, 0x0", "inside"), ("R2UR UR4, R0", "R2UR")]
    for added, said in [*edits, (r"IMAD.MOV.U32 \2, RZ, RZ, R0", "inside"), (r"CS2R \3, SRZ", "inside")]:
        edited = re.sub(r"(HGMMA\S+ (R\d+), (R\d+), [^;]*(?<!gsb0) ;)", rf"\1\n        /*0000*/ {added} ;", sass)
        assert any(said in each for each in faults(edited, MOST_R2UR)), added
    serialised = re.sub(r"(HGMMA[^;]*)(?<!gsb0) ;", r"\1, gsb0 ;\n        /*0000*/ WARPGROUP.DEPBAR.LE gsb0, 0x0 ;", sass)
    assert any("serialised" in each for each in faults(serialised))
