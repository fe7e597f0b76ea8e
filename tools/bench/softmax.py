"""Softmax of rows, f32 and f16, beside torch, Triton and a copy in one process: bytes read and written a second.

Of the kernels of softmax_kernels.py that a length allows, each tuned, the fastest is timed. What fits the L2 cache stays there between the calls."""

from __future__ import annotations

import torch
from bandwidth import TOLERANCES, Ways, check, measure, power_of_two, random, way
from common import arguments, with_element, write

MOST_IN_REGISTERS = 32 * 1024  # numbers of a row that one block holds as f32
MOST_PACKED = 64 * 1024  # … as 16 bits each
FEWEST_IN_LANES = 8 * 1024


def candidates(name: str, x, y) -> Ways:
    kernels, n = with_element("softmax_kernels", name), x.shape[1]
    columns = max(256, power_of_two(n))
    ways = {}
    if columns <= MOST_IN_REGISTERS:
        ways["softmax_tile"] = way(kernels.softmax_tile, kernels.rows, x, y, COLUMNS=columns)
    if 1024 <= columns <= (MOST_IN_REGISTERS if name == "f32" else MOST_PACKED):
        ways["softmax_packed"] = way(kernels.softmax_packed, kernels.rows, x, y, COLUMNS=columns)
    if n >= FEWEST_IN_LANES:
        ways["softmax_lanes"] = way(kernels.softmax_lanes, kernels.rows, x, y)
    return ways


def case(name: str, m: int, n: int, rounds: int) -> dict:
    x = random((m, n), name, n)
    y, other = torch.empty_like(x), torch.empty_like(x)
    want = torch.softmax(x.double(), 1)
    peers = {"torch": lambda: torch.softmax(x, 1)}
    try:
        from peers import OutOfResources, triton_softmax
    except ImportError:
        pass
    else:
        try:
            triton_softmax(x, other)
            check(f"Triton {name} {m} x {n}", other, want, TOLERANCES[name])
            peers["Triton"] = lambda: triton_softmax(x, other)
        except OutOfResources as error:  # a row is more than a block of its can hold
            print(f"    no Triton: {error}", flush=True)

    def verify(label: str) -> float:
        error = check(label, y, want, TOLERANCES[name])
        y.fill_(float("nan"))
        return error

    result = measure(f"softmax {name} {m} x {n}", candidates(name, x, y), verify, peers, 2 * x.numel() * x.element_size(), rounds)
    return {"dtype": name, "rows": m, "columns": n, **result}


def main() -> None:
    options = arguments(__doc__, rows=[4096], columns=[256, 1024, 4096, 8192, 16384, 65536])
    rows = []
    for name in ("f32", "f16"):
        for m in options.rows:
            for n in options.columns:
                rows.append(case(name, m, n, options.rounds))
                torch.cuda.empty_cache()
                write(options.out, "softmax", __doc__, rows, rounds=options.rounds)  # what there is, should a run be ended


if __name__ == "__main__":
    main()
