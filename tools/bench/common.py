"""How the benchmarks measure and what they write.

Kernel times are of CUDA-graph replays, so host cost is not in them. A card that runs into its power limit gives a kernel
less clock after heavy work than after rest, so contestants run in short bursts, each after the same rest, in an order
that alternates: 0.1 s idle, about 1 ms of warm-up, about 4 ms timed. A ratio is taken within a round, between
neighbours in time; the median over the rounds is reported with the smallest and the largest.
"""

from __future__ import annotations

import argparse
import datetime
import functools
import importlib.util
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

ROOT = pathlib.Path(__file__).resolve().parents[2]
IDLE_S = 0.1
WARM_UP_MS = 1.0
TIMED_MS = 4.0


def arguments(description: str, **defaults) -> argparse.Namespace:
    """The options every benchmark has: where to write, how many rounds, and lists of integers named by `defaults`."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs" / "results", help="folder for the JSON")
    parser.add_argument("--rounds", type=int, default=7)
    for name, values in defaults.items():
        parser.add_argument(f"--{name}", type=int, nargs="*", default=values)
    return parser.parse_args()


@functools.cache
def with_element(name: str, element: str, folder: pathlib.Path = pathlib.Path(__file__).parent):
    """The module `name` of the folder, this one, whose kernels' type is its ELEMENT, for another. (A kernel is compiled from its text, which names
    its types.)"""
    text = (folder / f"{name}.py").read_text()
    kept = tempfile.TemporaryDirectory()  # by the module
    path = pathlib.Path(kept.name) / f"{name}_{element}.py"
    path.write_text(text.replace("ELEMENT = ph.f16", f"ELEMENT = ph.{element}"))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    module.folder = kept
    return module


def tool_version(command: list[str]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip().splitlines()[-1]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "none"


def machine() -> dict:
    """What the numbers depend on beside our code."""
    facts = {"date": datetime.date.today().isoformat(), "python": sys.version.split()[0]}
    try:
        import torch

        facts["torch"] = torch.__version__
        facts["cuda"] = torch.version.cuda
        if torch.cuda.is_available():
            properties = torch.cuda.get_device_properties(0)
            facts["gpu"] = properties.name
            facts["multiprocessors"] = properties.multi_processor_count
            facts["compute_capability"] = f"{properties.major}.{properties.minor}"
    except ImportError:
        pass
    try:
        import triton

        facts["triton"] = triton.__version__
    except ImportError:
        pass
    facts["driver"] = tool_version(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"])
    facts["ptxas"] = tool_version(["ptxas", "--version"])
    facts["phobos"] = tool_version(["git", "-C", str(ROOT), "describe", "--always", "--dirty"])
    revision = ROOT / "REVISION"
    if revision.exists():
        facts["phobos"] = revision.read_text().strip()
    return facts


def write(out: pathlib.Path, name: str, what: str, rows: list[dict], **more) -> None:
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{name}.json"
    path.write_text(json.dumps({"benchmark": name, "what": what, "machine": machine(), **more, "rows": rows}, indent=1) + "\n")
    print(f"wrote {path}")


class Replay:
    """A function captured `count` times into a CUDA graph, with a shorter graph for warming up."""

    def __init__(self, function: Callable[[], object]):
        import torch

        self.torch = torch
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for _ in range(3):
                function()
        stream.synchronize()
        probe = self.capture(function, 5, stream)
        one = min(self.time(probe) for _ in range(3)) / 5
        self.count = max(1, round(TIMED_MS / one))
        self.timed = self.capture(function, self.count, stream)
        self.warm_up = self.capture(function, max(1, round(WARM_UP_MS / one)), stream)

    def capture(self, function, count: int, stream):
        graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(graph, stream=stream):
            for _ in range(count):
                function()
        return graph

    def time(self, graph) -> float:
        start, stop = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        graph.replay()
        stop.record()
        stop.synchronize()
        return start.elapsed_time(stop)

    def burst(self) -> float:
        """Milliseconds of one call."""
        self.torch.cuda.synchronize()
        time.sleep(IDLE_S)
        self.warm_up.replay()
        return self.time(self.timed) / self.count


def compare(contestants: dict[str, Callable[[], object]], rounds: int) -> dict:
    """Times all of them in alternating order. The first is ours; ratios are peer's time over ours: above 1, we are faster."""
    replays = {name: Replay(function) for name, function in contestants.items()}
    names = list(replays)
    times: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(rounds):
        for name in names if turn % 2 == 0 else reversed(names):
            times[name].append(replays[name].burst())
    ours = times[names[0]]
    result = {"ms": {name: statistics.median(values) for name, values in times.items()}, "ratio": {}}
    for name in names[1:]:
        ratios = [peer / own for peer, own in zip(times[name], ours, strict=True)]
        result["ratio"][name] = {"median": statistics.median(ratios), "min": min(ratios), "max": max(ratios)}
    return result


def show(label: str, result: dict, rate: Callable[[float], float], unit: str) -> None:
    speeds = "  ".join(f"{name} {rate(ms):7.2f}" for name, ms in result["ms"].items())
    ratios = "  ".join(
        f"x{r['median']:.3f} [{r['min']:.3f} {r['max']:.3f}] of {name}" for name, r in result["ratio"].items()
    )
    print(f"{label:24} {unit}: {speeds}   {ratios}", flush=True)
