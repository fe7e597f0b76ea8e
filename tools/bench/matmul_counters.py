"""What keeps the tensor cores waiting: counters of Nsight Compute for the persistent f16 product and for cuBLAS's, of the same matrices.

Each is profiled in a process of its own, after launches that warm it up, at the clocks as they are. Needs ncu and the right to read counters.
"""

from __future__ import annotations

import csv
import io
import pathlib
import shutil
import subprocess
import sys

from common import arguments, write

METRICS = {
    "tensor_pipe_busy_percent": "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
    "l2_hit_percent": "lts__t_sector_hit_rate.pct",
    "shared_bank_conflicts": "l1tex__data_bank_conflicts_pipe_lsu.sum",
    "dram_bytes": "dram__bytes.sum",
    "l2_to_sm_bytes": "l1tex__m_xbar2l1tex_read_bytes.sum",
    "issue_slots_busy_percent": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "sm_cycles": "sm__cycles_elapsed.max",
    "registers_a_thread": "launch__registers_per_thread",
    "duration_ns": "gpu__time_duration.sum",
}
WARM_UPS = 3
RUN = """
import sys; sys.path.insert(0, {here!r})
import torch
from kernels import blocks, matmul_f16_persistent
from matmul import operands
a, b = operands({n}, torch.float16)
c = torch.empty_like(a)
for _ in range({warm_ups}):
    {call}
torch.cuda.synchronize()
torch.cuda.profiler.start()
{call}
torch.cuda.synchronize()
torch.cuda.profiler.stop()
"""
CONTESTANTS = {"phobos": "matmul_f16_persistent[blocks](a, b, c)", "cuBLAS": "torch.matmul(a, b, out=c)"}


def counters(n: int, call: str) -> dict[str, float]:
    program = RUN.format(here=str(pathlib.Path(__file__).parent), n=n, warm_ups=WARM_UPS, call=call)
    command = ["ncu", "--clock-control", "none", "--profile-from-start", "off", "--csv", "--page", "raw", "--metrics", ",".join(METRICS.values())]
    result = subprocess.run([*command, sys.executable, "-c", program], capture_output=True, text=True, check=False)
    table = result.stdout[result.stdout.find('"ID"') :]
    rows = list(csv.DictReader(io.StringIO(table)))
    if len(rows) != 2:  # the units, and one kernel
        raise SystemExit(f"ncu did not count one kernel:\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
    found = {name: float(rows[1][metric].replace(",", "")) for name, metric in METRICS.items() if rows[1].get(metric)}
    units = {name: rows[0].get(metric, "") for name, metric in METRICS.items()}
    return found | {"units": units, "kernel": rows[1]["Kernel Name"]}


def main() -> None:
    options = arguments(__doc__.splitlines()[0], sizes=[8192])
    if not shutil.which("ncu"):
        raise SystemExit("ncu is not on PATH: it comes with the CUDA toolkit")
    rows = []
    for n in options.sizes:
        for who, call in CONTESTANTS.items():
            row = {"size": n, "who": who, **counters(n, call)}
            print(row)
            rows.append(row)
    write(options.out, "matmul_counters", __doc__, rows)


if __name__ == "__main__":
    main()
