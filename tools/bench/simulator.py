"""What the host simulator takes: from a kernel's first launch to its result, and again once it is compiled; how many times as long
with each checker (`factors`), and under a seed.

The goals are for two cores. Needs no GPU; run it on an idle machine (PHOBOS_SIM_WORKERS=2 where there are more cores).
"""

from __future__ import annotations

import importlib.util
import os
import pathlib
import statistics
import sys
import tempfile
import time

from common import ROOT, arguments, write

REDUCE = '''
from __future__ import annotations
import phobos.lang as ph

@ph.kernel
@ph.launch(256)
def total(x: ph.tensor[ph.f32][N], out: ph.tensor[ph.f32][M]):
    """Ten shuffle steps: five in each warp, one trip through shared memory, five more."""
    i = ph.ctx.block.x
    out[i:+1] = ph.sum(x[i * 256:+256], keepdims=True)
'''

CHECKS = ("bounds", "init", "deadlock", "race", "all")


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def milliseconds(function) -> float:
    begin = time.perf_counter()
    function()
    return (time.perf_counter() - begin) * 1e3


def cpu() -> str:
    for line in open("/proc/cpuinfo", encoding="utf-8"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "?"


def main() -> None:
    options = arguments(__doc__.splitlines()[0])
    import numpy as np
    import phobos

    phobos.target("host")
    rng = np.random.default_rng(0)
    matmul = load(ROOT / "examples" / "tutorials" / "t03_matmul.py").matmul
    vectors = load(ROOT / "examples" / "tutorials" / "t01_vector_add.py")
    folder = tempfile.TemporaryDirectory()
    source = pathlib.Path(folder.name) / "reduce.py"
    source.write_text(REDUCE)
    total = load(source).total

    def product(n: int):
        a, b = ((rng.random((n, n)) - 0.5).astype(np.float16) for _ in range(2))
        c = np.empty((n, n), np.float16)
        grid = lambda meta: (meta["M"] // meta["TILE_M"], meta["N"] // meta["TILE_N"])  # noqa: E731
        return lambda: matmul[grid](a, b, c)

    def addition(n: int):
        x, y, z = (rng.random(n, dtype=np.float32) for _ in range(3))
        return lambda: vectors.add[-(-n // vectors.BLOCK)](x, y, z)

    def reduction(n: int):
        x, out = rng.random(n, dtype=np.float32), np.empty(n // 256, np.float32)
        return lambda: total[n // 256](x, out)

    small = product(512)
    # name, work, the chip, goals in milliseconds: of the first launch, of the later ones, of later ones with all checks
    workloads = [
        ("t03, 512 cubed, mma.sync", small, "sm_80", 40 + 25, 25, None),
        ("t03, 512 cubed, wgmma", small, "sm_90a", None, None, None),
        ("vector add, 2^24", addition(1 << 24), "sm_80", None, 20, 80),
        ("vector add, 2^20", addition(1 << 20), "sm_80", None, None, None),
        ("sum of 256 in each block, 2^20", reduction(1 << 20), "sm_80", None, 80, None),
    ]
    rows, factors = [], {}

    def measure(case: str, work, settings: dict, **goals) -> float:
        with phobos.sim(**settings):
            first = milliseconds(work)
            times = [milliseconds(work) for _ in range(options.rounds if first < 1000 else 2)]
        row = {"case": case, "first_ms": first, "median_ms": statistics.median(times), "min_ms": min(times), "max_ms": max(times)}
        rows.append(row | {name: goal for name, goal in goals.items() if goal})
        goal = goals.get("goal_ms")
        print(f"{case:44} first {first:8.1f} ms, then {row['median_ms']:8.1f} ms" + (f" (goal {goal})" if goal else ""))
        return row["min_ms"]

    for name, work, arch, first_goal, goal, checked_goal in workloads:
        plain = measure(name, work, {"arch": arch}, goal_first_ms=first_goal, goal_ms=goal)
        factors[name] = {}
        for check in CHECKS:
            goals = {"goal_ms": checked_goal} if check == "all" else {}
            factors[name][check] = measure(f"{name}, {check}", work, {"arch": arch, "check": check}, **goals) / plain
        print("  " + ", ".join(f"{check} {factor:.1f} times" for check, factor in factors[name].items()) + " (goal 4)")
    measure("t03, 2048 cubed", product(2048), {}, goal_ms=1500)
    measure("t03, 512 cubed, under a seed", small, {"seed": 1})
    cores = len(os.sched_getaffinity(0))
    workers = int(os.environ.get("PHOBOS_SIM_WORKERS", cores))
    write(options.out, "simulator", __doc__, rows, cpu=cpu(), cores=cores, workers=workers, factors=factors)


if __name__ == "__main__":
    main()
