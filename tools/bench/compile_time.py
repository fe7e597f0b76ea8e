"""Milliseconds from tutorial 03's source text to its cubin, without the disk cache: a cold process, a warm one, and by phase.

Cold: the wall time of a phobosc process, and what it says of its own phases (`--time-passes`). Warm: `matmul.compile` again and again
in one Python process. Needs no GPU; beside it, where Triton is installed, Triton's compile of the same algorithm and tile.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

from common import ROOT, write

TUTORIAL = ROOT / "examples" / "tutorials" / "t03_matmul.py"


def summary(values: list[float]) -> dict:
    return {"median_ms": statistics.median(values), "min_ms": min(values), "max_ms": max(values)}


def phobosc() -> str:
    found = shutil.which("phobosc", path=os.pathsep.join([str(ROOT / "build" / "bin"), str(ROOT / "bin"), os.environ["PATH"]]))
    if found is None:
        raise SystemExit("phobosc is not built: run tools/build")
    return found


def cold(chip: str, emit: str, rounds: int) -> tuple[list[float], dict[str, list[float]]]:
    """Wall times of whole processes, and the phases as the processes themselves timed them."""
    walls: list[float] = []
    phases: dict[str, list[float]] = {}
    command = [phobosc(), str(TUTORIAL), "--arch", chip, "--emit", emit, "-o", os.devnull]
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        walls.append((time.perf_counter() - start) * 1e3)
        told = subprocess.run([*command, "--time-passes"], check=True, capture_output=True, text=True).stderr
        for name, value in re.findall(r"^\s*(\w[\w.:/ -]*?)\s+([\d.]+)(?: ms)?\s*$", told, re.M):
            phases.setdefault(name, []).append(float(value))
    return walls, phases


WARM = """
import importlib.util, sys, time
spec = importlib.util.spec_from_file_location("t03_matmul", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
for _ in range(int(sys.argv[3])):
    start = time.perf_counter()
    module.matmul.compile(arch=sys.argv[2])
    print((time.perf_counter() - start) * 1e3)
"""


def warm(chip: str, rounds: int) -> list[float]:
    """matmul.compile in one new process: the first of these is cold, the rest are warm."""
    environment = {**os.environ, "PHOBOS_CACHE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", WARM, str(TUTORIAL), chip, str(rounds)], capture_output=True, text=True, env=environment
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    return [float(line) for line in done.stdout.split()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs" / "results")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--arch", nargs="+", default=["sm_80", "sm_90a"])
    options = parser.parse_args()
    rows = []
    for chip in options.arch:
        for emit in ("ptx", "cubin"):
            walls, phases = cold(chip, emit, options.rounds)
            row = {"chip": chip, "to": emit, "process": summary(walls), "phases": {k: summary(v) for k, v in phases.items()}}
            rows.append(row)
            print(f"{chip} source to {emit}: process {row['process']['median_ms']:.1f} ms")
            if emit == "cubin":
                for name, values in row["phases"].items():
                    print(f"    {name:40} {values['median_ms']:8.2f}")
        times = warm(chip, options.rounds + 1)
        rows.append({"chip": chip, "to": "cubin", "in_python": {"first_ms": times[0], **summary(times[1:])}})
        print(f"{chip} matmul.compile: first {times[0]:.1f} ms, then {statistics.median(times[1:]):.1f} ms")
    write(options.out, "compile_time", __doc__, rows, rounds=options.rounds)


if __name__ == "__main__":
    main()
