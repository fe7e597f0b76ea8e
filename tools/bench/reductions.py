"""Sums of the rows and of the columns of a matrix, the place of each row's greatest element, and running sums along rows, f32 and f16,
beside torch and a copy that moves as many bytes: bytes read and written a second."""

from __future__ import annotations

import torch
from bandwidth import DTYPES, TOLERANCES, Ways, check, measure, power_of_two, random, way
from common import arguments, with_element, write

PARTS = (8, 16, 32, 64, 128)  # of the rows, for sums of columns


def row_sum(name: str, x, y) -> Ways:
    kernels = with_element("reduction_kernels", name)
    return {"row_sum": way(kernels.row_sum, kernels.rows, x, y)}


def column_sum(name: str, x, y) -> Ways:
    """By the number of parts: each is two kernels."""
    kernels = with_element("reduction_kernels", name)
    ways = {}
    for parts in PARTS:
        sums = torch.empty((parts, x.shape[1]), device="cuda", dtype=torch.float32)
        first, best = way(kernels.column_parts, kernels.column_blocks, x, sums)

        def both(first=first, sums=sums) -> None:
            first()
            kernels.add_up[-(-x.shape[1] // kernels.WIDTH)](sums, y)

        ways[f"column_parts {parts}"] = both, best
    return ways


def argmax(name: str, x, y) -> Ways:
    kernels = with_element("reduction_kernels", name)
    return {"row_argmax": way(kernels.row_argmax, kernels.rows, x, y, COLUMNS=max(256, power_of_two(x.shape[1])))}


def running_sum(name: str, x, y) -> Ways:
    kernels = with_element("reduction_kernels", name)
    return {"row_cumsum": way(kernels.row_cumsum, kernels.rows, x, y, COLUMNS=max(256, power_of_two(x.shape[1])))}


def first_of_greatest(x):
    places = torch.arange(x.shape[1], device="cuda").expand(x.shape)
    return torch.where(x == x.amax(1, keepdim=True), places, x.shape[1]).amin(1)


# By name: our ways, what is to come out, torch's function, and the axis that is reduced, if one is.
KINDS = {
    "sum of rows": (row_sum, lambda x: x.double().sum(1), lambda x: torch.sum(x, 1), 1),
    "sum of columns": (column_sum, lambda x: x.double().sum(0), lambda x: torch.sum(x, 0), 0),
    "argmax of rows": (argmax, first_of_greatest, lambda x: torch.argmax(x, 1), 1),
    "running sums of rows": (running_sum, lambda x: x.double().cumsum(1), lambda x: torch.cumsum(x, 1), None),
}


def result_of(kind: str, name: str, x):
    """Room for a result."""
    axis = KINDS[kind][3]
    shape = x.shape if axis is None else x.shape[1 - axis]
    return torch.empty(shape, device="cuda", dtype=torch.int64 if kind == "argmax of rows" else DTYPES[name])


def verifier(kind: str, name: str, y, want):
    def verify(label: str) -> float:
        if y.is_floating_point():
            error = check(label, y, want, TOLERANCES[name])
        elif not torch.equal(y, want):
            raise SystemExit(f"{label}: {int((y != want).sum())} of {y.numel()} places are wrong")
        else:
            error = 0.0
        y.fill_(float("nan") if y.is_floating_point() else -1)
        return error

    return verify


def main() -> None:
    options = arguments(__doc__, rows=[16384], columns=[4096], kinds=list(range(len(KINDS))))
    rows = []
    for kind, (ways, wanted, peer, _) in [list(KINDS.items())[i] for i in options.kinds]:
        for name in ("f32", "f16"):
            for m in options.rows:
                for n in options.columns:
                    x = random((m, n), name, n)
                    y = result_of(kind, name, x)
                    moved = x.numel() * x.element_size() + y.numel() * y.element_size()
                    verify = verifier(kind, name, y, wanted(x))
                    peers = {"torch": lambda x=x, peer=peer: peer(x)}
                    result = measure(f"{kind} {name} {m} x {n}", ways(name, x, y), verify, peers, moved, options.rounds)
                    rows.append({"case": kind, "dtype": name, "rows": m, "columns": n, **result})
                    write(options.out, "reductions", __doc__, rows, rounds=options.rounds)


if __name__ == "__main__":
    main()
