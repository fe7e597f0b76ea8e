"""Tutorial 04's dropout, which keeps no mask, f32, as it is written and with its block tuned, beside torch, Triton and a copy in one process:
bytes read and written a second.

torch's dropout writes a mask too, a byte for each element, which is not counted."""

from __future__ import annotations

import importlib.util

import numpy as np
import phobos.lang as ph
import torch
from bandwidth import Ways, measure, way
from common import ROOT, arguments, write

P, SEED = 0.5, 123  # with that p scaling is exact
LOOKED_AT = 1 << 20


@ph.kernel(key=["N"])
@ph.autotune(BLOCK=[1024, 512, 2048, 4096], threads=[128, 256, 512], when="4 * threads <= BLOCK <= 16 * threads")
def dropout(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N], p: ph.f32, seed: ph.i64):
    start: ph.let = ph.ctx.block.x * BLOCK
    keep: ph.let = ph.rand(seed, start + ph.iota(BLOCK)) >= p
    y[start:+BLOCK] = ph.where(keep, x[start:+BLOCK] * (1.0 / (1.0 - p)), 0.0)


# The same with places of 32 bits, which decide how many elements a thread has side by side.
@ph.kernel(key=["N"])
@ph.autotune(BLOCK=[1024, 512, 2048, 4096], threads=[128, 256, 512], when="4 * threads <= BLOCK <= 16 * threads")
def dropout_u32(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N], p: ph.f32, seed: ph.i64):
    start: ph.let = ph.ctx.block.x * BLOCK
    keep: ph.let = ph.rand(seed, ph.u32(start) + ph.iota(BLOCK, ph.u32)) >= p
    y[start:+BLOCK] = ph.where(keep, x[start:+BLOCK] * (1.0 / (1.0 - p)), 0.0)


def tutorial():
    path = ROOT / "examples" / "tutorials" / "t04_low_memory_dropout.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def candidates(x, y) -> Ways:
    written = tutorial()
    grid = lambda meta: -(-meta["N"] // meta["BLOCK"])  # noqa: E731
    return {
        "t04 as written": (lambda: written.dropout[-(-x.numel() // written.BLOCK)](x, y, P, SEED), {}),
        "dropout": way(dropout, grid, x, y, P, SEED),
        "dropout_u32": way(dropout_u32, grid, x, y, P, SEED),
    }


def verifier(x, y):
    """Elements are scaled or dropped, as many as p says within 5 sigma; the first and the last, those that NumPy drops."""
    n = x.numel()
    at = np.concatenate([np.arange(min(n, LOOKED_AT)), np.arange(max(0, n - LOOKED_AT), n)])
    places, kept = (torch.from_numpy(each).to(x.device) for each in (at, tutorial().numbers(at, SEED) >= np.float32(P)))

    def verify(label: str) -> float:
        dropped = int((y == 0).sum())
        wrong = int(((y != 0) & (y != x / (1 - P))).sum()) + int(((y[places] != 0) != kept).sum())
        if wrong:
            raise SystemExit(f"{label}: {wrong} of {n} elements are wrong")
        if abs(dropped - n * P) > 5 * (n * P * (1 - P)) ** 0.5:
            raise SystemExit(f"{label}: {dropped} of {n} elements dropped, for p = {P}")
        y.fill_(float("nan"))
        return 0.0

    return verify


def main() -> None:
    options = arguments(__doc__, powers=[26])
    rows = []
    for power in options.powers:
        x = torch.rand(1 << power, device="cuda") + 0.5
        y, other = torch.empty_like(x), torch.empty_like(x)
        peers = {"torch": lambda x=x: torch.nn.functional.dropout(x, P, training=True)}
        try:
            from peers import triton_dropout

            triton_dropout(x, other, P, SEED)
            if not ((other == 0) | (other == x / (1 - P))).all():
                raise SystemExit("Triton: wrong values")
            peers["Triton"] = lambda x=x, other=other: triton_dropout(x, other, P, SEED)
        except ImportError:
            pass
        result = measure(f"dropout 2^{power}", candidates(x, y), verifier(x, y), peers, 2 * 4 * x.numel(), options.rounds)
        rows.append({"elements": 1 << power, **result})
        write(options.out, "dropout", __doc__, rows, rounds=options.rounds)  # what there is, should a run be ended


if __name__ == "__main__":
    main()
