"""Host cost of a warm launch with three torch tensors, in microseconds, beside the bare driver call in the same run.

The bare call is a loop in C++ around cuLaunchKernel with the same machine code and the same parameters, put together from the
kernel's contract; what Python and the runtime add is the difference. Launches are enqueued without waiting for them; the kernel is short enough that the
host is the slower side. Rounds alternate the order; the best and the median over them are reported.
"""

from __future__ import annotations

import ctypes
import pathlib
import statistics
import subprocess
import tempfile
import time

import torch
from common import arguments, write
from vector_add import tutorial

LENGTH = 1024


class Bare:
    """The compiled kernel, launched by the driver alone."""

    def __init__(self, compiled, tensors):
        contract = compiled.contract
        self.threads = contract["threads"]
        self.driver = ctypes.CDLL("libcuda.so.1")
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), compiled.cubin)
        self.call("cuModuleGetFunction", ctypes.byref(self.function), module, contract["entry"].encode())
        self.values = [self.value(parameter, tensors) for parameter in contract["parameters"]]
        self.parameters = (ctypes.c_void_p * len(self.values))(*map(ctypes.addressof, self.values))
        self.library = self.compile()
        self.library.bareLaunchMicroseconds.restype = ctypes.c_double

    @staticmethod
    def value(parameter: dict, tensors):
        """One parameter of the entry point, as the contract describes it."""
        kind = {4: ctypes.c_uint32, 8: ctypes.c_uint64}[parameter["bytes"]]
        tensor = tensors[parameter["index"]] if parameter["kind"] != "extent" else None
        if parameter["kind"] == "pointer":
            return kind(tensor.data_ptr())
        if parameter["kind"] == "stride":
            return kind(tensor.stride(parameter["axis"]))
        return kind(LENGTH)  # the one dim

    def call(self, name: str, *values):
        status = getattr(self.driver, name)(*values)
        if status:
            raise SystemExit(f"{name} failed: {status}")

    @staticmethod
    def compile() -> ctypes.CDLL:
        source = pathlib.Path(__file__).with_name("bare_launch.cpp")
        folder = tempfile.mkdtemp()
        target = pathlib.Path(folder) / "bare_launch.so"
        subprocess.run(["g++", "-O2", "-shared", "-fPIC", str(source), "-o", str(target)], check=True)
        return ctypes.CDLL(str(target))

    def measure(self, count: int) -> float:
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        launch = ctypes.cast(self.driver.cuLaunchKernel, ctypes.c_void_p)
        taken = self.library.bareLaunchMicroseconds(launch, self.function, self.threads, stream, self.parameters, count)
        if taken < 0:
            raise SystemExit("cuLaunchKernel failed")
        return taken


def python_loop(function, count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        function()
    return (time.perf_counter() - start) / count * 1e6


def main() -> None:
    options = arguments(__doc__, count=[2000])
    count = options.count[0]
    x, y = (torch.rand(LENGTH, device="cuda") for _ in range(2))
    z = torch.empty_like(x)
    add = tutorial().add
    grid = (1,)
    prepared = add[grid]
    bare = Bare(add.compile(x, y, z), (x, y, z))
    empty = lambda: None  # noqa: E731
    contestants = {
        "cuLaunchKernel": bare.measure,
        "phobos add[grid](x, y, z)": lambda n: python_loop(lambda: add[grid](x, y, z), n),
        "phobos launch(x, y, z)": lambda n: python_loop(lambda: prepared(x, y, z), n),
        "torch.add(x, y, out=z)": lambda n: python_loop(lambda: torch.add(x, y, out=z), n),
        "Python's own call": lambda n: python_loop(empty, n),
    }
    try:
        from peers import add_kernel

        contestants["Triton add[grid](x, y, z, n)"] = lambda n: python_loop(lambda: add_kernel[grid](x, y, z, LENGTH, 1024), n)
    except ImportError:
        pass
    for measure in contestants.values():
        measure(50)
    names = list(contestants)
    times: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(options.rounds):
        for name in names if turn % 2 == 0 else reversed(names):
            torch.cuda.synchronize()
            times[name].append(contestants[name](count))
    torch.cuda.synchronize()
    rows = []
    for name in names:
        above = [t - b for t, b in zip(times[name], times["cuLaunchKernel"], strict=True)]
        row = {
            "launch": name, "best_us": min(times[name]), "median_us": statistics.median(times[name]),
            "above_bare_us": {"median": statistics.median(above), "min": min(above), "max": max(above)},
            "best_above_bare_us": min(times[name]) - min(times["cuLaunchKernel"]),
        }
        rows.append(row)
        print(f"{name:32} best {row['best_us']:6.2f}  median {row['median_us']:6.2f}  above the bare call {row['best_above_bare_us']:6.2f}")
    write(options.out, "launch", __doc__, rows, rounds=options.rounds, launches_per_round=count)


if __name__ == "__main__":
    main()
