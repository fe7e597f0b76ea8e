"""What the host simulator takes: from a kernel's first launch to its result, and again once it is compiled; with checkers and seeds.

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
    # name, work, settings, the goal in milliseconds, of the first launch and of the later ones
    cases = [
        ("t03, 512 cubed, mma.sync", small, {}, 40 + 25, 25),
        ("t03, 512 cubed, wgmma", small, {"arch": "sm_90a"}, None, None),
        ("t03, 2048 cubed", product(2048), {}, None, 1500),
        ("vector add, 2^24", addition(1 << 24), {}, None, 20),
        ("sum of 256 in each block, 2^20", reduction(1 << 20), {}, None, 80),
        ("t03, 512 cubed, bounds", small, {"check": "bounds"}, None, None),
        ("t03, 512 cubed, races", small, {"check": "race"}, None, None),
        ("t03, 512 cubed, all checks", small, {"check": "all"}, None, None),
        ("t03, 512 cubed, under a seed", small, {"seed": 1}, None, None),
        ("vector add, 2^20", addition(1 << 20), {}, None, None),
        ("vector add, 2^20, bounds", addition(1 << 20), {"check": "bounds"}, None, None),
    ]
    rows = []
    for name, work, settings, first_goal, goal in cases:
        with phobos.sim(**settings):
            first = milliseconds(work)
            rounds = options.rounds if first < 1000 else 2
            times = [milliseconds(work) for _ in range(rounds)]
        row = {"case": name, "first_ms": first, "median_ms": statistics.median(times), "min_ms": min(times), "max_ms": max(times)}
        row |= {"goal_first_ms": first_goal} if first_goal else {}
        row |= {"goal_ms": goal} if goal else {}
        rows.append(row)
        print(f"{name:36} first {first:8.1f} ms, then {row['median_ms']:8.1f} ms" + (f" (goal {goal})" if goal else ""))
    plain = next(row["min_ms"] for row in rows if row["case"] == "t03, 512 cubed, mma.sync")
    checked = next(row["min_ms"] for row in rows if row["case"] == "t03, 512 cubed, all checks")
    print(f"all checks: {checked / plain:.1f} times as long (goal 4)")
    cores = len(os.sched_getaffinity(0))
    workers = int(os.environ.get("PHOBOS_SIM_WORKERS", cores))
    write(options.out, "simulator", __doc__, rows, cpu=cpu(), cores=cores, workers=workers, checks_ratio=checked / plain)


if __name__ == "__main__":
    main()
