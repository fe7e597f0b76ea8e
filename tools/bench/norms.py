"""Layer norm and RMS norm of rows, and layer norm's gradients, f16 and bf16, beside torch, Triton and a copy in one process: bytes read and
written a second.

Gradients are of x, weight and bias, from dy and what the forward pass kept of each row; two kernels on our side, timed together."""

from __future__ import annotations

import torch
from bandwidth import DTYPES, TOLERANCES, Ways, check, measure, power_of_two, random, way
from common import arguments, with_element, write

EPS = 1e-5
GROUPS = (132, 264, 528, 1056)  # blocks of the gradients' first kernel
MOST_IN_REGISTERS = 16 * 1024  # numbers of a row that one block holds
GROUPS_APART = 32  # where the gradients of weight and bias have a kernel of their own


class Case:
    """Operands, what is to come out of them as float64, and the room for it."""

    def __init__(self, name: str, m: int, n: int):
        self.name, self.shape = name, (m, n)
        self.x, self.dy = random((m, n), name, n), random((m, n), name, n + 1)
        self.w, self.b = random((n,), name, n + 2), random((n,), name, n + 3)
        self.y = torch.empty_like(self.x)
        self.sums = torch.empty((2, n), device="cuda", dtype=DTYPES[name])
        exact = self.x.double()
        centred = exact - exact.mean(1, keepdim=True)
        deviation = torch.rsqrt((centred**2).mean(1, keepdim=True) + EPS)
        self.mean, self.rstd = exact.mean(1).float(), deviation.flatten().float()
        self.n = centred * deviation
        self.columns = max(256, power_of_two(n))

    def bytes(self, matrices: int) -> int:
        return matrices * self.x.numel() * self.x.element_size()


def layer_norm(case: Case) -> Ways:
    kernels = with_element("norm_kernels", case.name)
    mean, rstd = torch.empty_like(case.mean), torch.empty_like(case.rstd)
    given = (case.x, case.w, case.b, case.y, mean, rstd, EPS)
    if case.columns > MOST_IN_REGISTERS:
        return {"layer_norm_long": way(kernels.layer_norm_long, kernels.rows, *given)}
    ways = [kernels.layer_norm, kernels.layer_norm_shifted] + [kernels.layer_norm_whole] * (case.shape[1] == case.columns)
    return {kernel.__name__: way(kernel, kernels.rows, *given, COLUMNS=case.columns) for kernel in ways}


def rms_norm(case: Case) -> Ways:
    kernels = with_element("norm_kernels", case.name)
    if case.columns > MOST_IN_REGISTERS:
        return {"rms_norm_long": way(kernels.rms_norm_long, kernels.rows, case.x, case.w, case.y, EPS)}
    return {"rms_norm": way(kernels.rms_norm, kernels.rows, case.x, case.w, case.y, EPS, COLUMNS=case.columns)}


def gradients(case: Case) -> Ways:
    """By the kernel and the number of groups of rows; the gradient of x is left in `y`, those of weight and bias in `sums`."""
    kernels = with_element("norm_kernels", case.name)
    ways = {}
    for groups in GROUPS:
        parts = torch.empty((2, groups, case.shape[1]), device="cuda", dtype=torch.float32)
        given = (case.x, case.w, case.dy, case.mean, case.rstd, case.y, parts)
        for kernel in (kernels.layer_norm_gradients, kernels.layer_norm_gradients_ahead):
            first, best = way(kernel, kernels.groups, *given, COLUMNS=case.columns)

            def both(first=first, parts=parts) -> None:
                first()
                kernels.add_up[kernels.columns](parts, case.sums)

            ways[f"{kernel.__name__} {groups}"] = both, best
    parts = torch.empty((2, GROUPS_APART, case.shape[1]), device="cuda", dtype=torch.float32)
    of_rows, best = way(kernels.layer_norm_dx, kernels.rows, case.x, case.w, case.dy, case.mean, case.rstd, case.y)
    of_columns, others = way(kernels.layer_norm_columns, kernels.tiles, case.x, case.dy, case.mean, case.rstd, parts)

    def apart() -> None:
        of_rows()
        of_columns()
        kernels.add_up[kernels.columns](parts, case.sums)

    ways["layer_norm_dx, layer_norm_columns"] = apart, best | others
    return ways


def wanted_layer_norm(case: Case):
    return case.n * case.w.double() + case.b.double()


def wanted_rms_norm(case: Case):
    exact = case.x.double()
    return exact * torch.rsqrt((exact**2).mean(1, keepdim=True) + EPS) * case.w.double()


def wanted_gradients(case: Case):
    dy = case.dy.double()
    g = dy * case.w.double()
    dx = (g - g.mean(1, keepdim=True) - case.n * (g * case.n).mean(1, keepdim=True)) * case.rstd.double()[:, None]
    return dx, torch.stack([(dy * case.n).sum(0), dy.sum(0)])


def verifier(case: Case, want):
    """Looks at `y`, or at `y` and `sums`, and makes them NaN again."""
    pairs = list(zip((case.y, case.sums), want, strict=True)) if isinstance(want, tuple) else [(case.y, want)]

    def verify(label: str) -> float:
        errors = []
        for got, exact in pairs:
            errors.append(check(label, got, exact, TOLERANCES[case.name]))
            got.fill_(float("nan"))
        return max(errors)

    return verify


def torch_peers(case: Case) -> dict[str, dict]:
    """By kind: a function of torch's; RMS norm is not in every torch."""
    n = (case.shape[1],)
    kept = [each[:, None] for each in (case.mean, case.rstd)]
    functional = torch.nn.functional
    rms = {"torch": lambda: functional.rms_norm(case.x, n, case.w, EPS)} if hasattr(functional, "rms_norm") else {}
    backward = torch.ops.aten.native_layer_norm_backward
    return {
        "layer norm": {"torch": lambda: functional.layer_norm(case.x, n, case.w, case.b, EPS)},
        "RMS norm": rms,
        "layer norm, gradients": {"torch": lambda: backward(case.dy, case.x, n, *kept, case.w, case.b, [True, True, True])},
    }


def triton_peers(case: Case, kinds: list[str]) -> dict[str, dict]:
    try:
        from peers import TritonLayerNormGradients, triton_layer_norm, triton_rms_norm
    except ImportError:
        return {}
    other, sums = torch.empty_like(case.x), torch.empty_like(case.sums)
    mean, rstd = torch.empty_like(case.mean), torch.empty_like(case.rstd)
    makers = {
        "layer norm": (lambda: lambda: triton_layer_norm(case.x, case.w, case.b, other, mean, rstd, EPS), wanted_layer_norm),
        "RMS norm": (lambda: lambda: triton_rms_norm(case.x, case.w, other, EPS), wanted_rms_norm),
        "layer norm, gradients": (lambda: TritonLayerNormGradients(case.x, case.w, case.dy, case.mean, case.rstd, other, sums), wanted_gradients),
    }
    functions = {kind: (make(), wanted) for kind, (make, wanted) in makers.items() if kind in kinds}
    for kind, (function, wanted) in functions.items():
        function()
        want = wanted(case)
        pairs = zip((other, sums), want, strict=True) if isinstance(want, tuple) else [(other, want)]
        for got, exact in pairs:
            check(f"Triton {kind} {case.name} {case.shape}", got, exact, TOLERANCES[case.name])
    return {kind: {"Triton": function} for kind, (function, _) in functions.items()}


# By name: our ways, what is to come out, and how many matrices are read or written.
KINDS = {
    "layer norm": (layer_norm, wanted_layer_norm, 2),
    "RMS norm": (rms_norm, wanted_rms_norm, 2),
    "layer norm, gradients": (gradients, wanted_gradients, 3),
}


def main() -> None:
    options = arguments(__doc__, rows=[4096], columns=[1024, 2048, 4096, 8192, 16384], kinds=list(range(len(KINDS))))
    names = [list(KINDS)[i] for i in options.kinds]
    rows = []
    for name in ("f16", "bf16"):
        for m in options.rows:
            for n in options.columns:
                case = Case(name, m, n)
                # Gradients of longer rows have no kernel here.
                kinds = [kind for kind in names if kind != "layer norm, gradients" or case.columns <= MOST_IN_REGISTERS]
                ours, theirs = torch_peers(case), triton_peers(case, kinds)
                for kind in kinds:
                    ways, wanted, matrices = KINDS[kind]
                    peers = {**ours[kind], **theirs.get(kind, {})}
                    verify = verifier(case, wanted(case))
                    result = measure(f"{kind} {name} {m} x {n}", ways(case), verify, peers, case.bytes(matrices), options.rounds)
                    rows.append({"case": kind, "dtype": name, "rows": m, "columns": n, **result})
                    write(options.out, "norms", __doc__, rows, rounds=options.rounds)  # what there is, should a run be ended
                torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
