"""Attention backward, as tutorial 06 has it, beside cuDNN's and FlashAttention 2's (both by way of torch's autograd) in one process: full and causal, f16 and bf16.

On our side three kernels, timed together: the rows' products, the gradients of keys and values, those of queries. FLOPs are 10 B H M N D, half of that if
causal, whatever anybody computes twice. Errors are of some heads against float64.
"""

from __future__ import annotations

import sys

import torch
from attention import BATCH, CHECKED, HEADS, TUTORIALS, inputs
from common import arguments, compare, show, with_element, write
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

# Probabilities and the scores' gradients are rounded to the type on the way.
TOLERANCES = {"f16": 1e-3, "bf16": 8e-3}


class OfTorch:
    """The backward pass alone. Autograd runs it on the stream of the forward pass, so each stream has leaves and outputs of its own, made outside of any graph."""

    def __init__(self, backend, q, k, v, do, causal: bool):
        self.backend, self.operands, self.do, self.causal = backend, (q, k, v), do, causal
        self.made: dict = {}

    def __call__(self) -> tuple:
        stream = torch.cuda.current_stream()
        if stream not in self.made:
            leaves = [x.detach().requires_grad_() for x in self.operands]
            with sdpa_kernel(self.backend):
                self.made[stream] = scaled_dot_product_attention(*leaves, is_causal=self.causal), leaves
        o, leaves = self.made[stream]
        return torch.autograd.grad(o, leaves, self.do, retain_graph=True)


def wanted(q, k, v, do, causal: bool, head: int) -> list:
    exact = [x[head, head].double().requires_grad_() for x in (q, k, v)]
    s = exact[0] @ exact[1].T * q.shape[3] ** -0.5
    if causal:
        s = s.masked_fill(~torch.ones_like(s, dtype=torch.bool).tril(), -float("inf"))
    (torch.softmax(s, 1) @ exact[2]).backward(do[head, head].double())
    return [x.grad for x in exact]


def check(label: str, gradients, wants: list, tolerance: float) -> float:
    """The largest relative error of dq, dk and dv of some heads; a wrong kernel's speed says nothing."""
    error = 0.0
    for head, want in enumerate(wants):
        for name, got, exact in zip(("dq", "dk", "dv"), gradients, want, strict=True):
            this = ((got[head, head].double() - exact).norm() / exact.norm()).item()
            if not this < tolerance:
                raise SystemExit(f"{label}, {name}: relative error {this:.3g}, not below {tolerance}")
            error = max(error, this)
    return error


def measure(name: str, n: int, d: int, causal: bool, rounds: int) -> dict:
    ours = with_element("t06_attention", name, TUTORIALS)
    q, k, v = inputs(name, n, d, False)
    do = torch.randn(q.shape, device="cuda", generator=torch.Generator(device="cuda").manual_seed(d)).to(q.dtype)
    scale = d**-0.5
    o, sums = ours.attend(torch, q, k, v, causal, scale)
    delta = torch.empty_like(sums)
    dq, dk, dv = (torch.full_like(q, float("nan")) for _ in range(3))

    def phobos() -> None:
        ours.backward(q, k, v, o, sums, do, delta, dq, dk, dv, causal, scale)

    phobos()
    label = f"{name} N {n} D {d}" + (", causal" if causal else "")
    wants = [wanted(q, k, v, do, causal, head) for head in range(CHECKED)]
    error = check(label, (dq, dk, dv), wants, TOLERANCES[name])
    first = [x.clone() for x in (dq, dk, dv)]
    for _ in range(10):
        phobos()
        if not all(torch.equal(x, y) for x, y in zip((dq, dk, dv), first, strict=True)):
            raise SystemExit(f"{label}: other bits the second time")
    backends = {"cuDNN": SDPBackend.CUDNN_ATTENTION, "FA2": SDPBackend.FLASH_ATTENTION}
    peers = {who: OfTorch(backend, q, k, v, do, causal) for who, backend in backends.items()}
    for who, peer in peers.items():
        check(f"{label}, {who}", peer(), wants, 3 * TOLERANCES[name])
    del wants
    torch.cuda.empty_cache()
    result = compare({"phobos": phobos, **peers}, rounds)
    flops = 10.0 * BATCH * HEADS * n * n * d * (0.5 if causal else 1)
    show(label, result, lambda ms: flops / ms / 1e9, "TFLOP/s")
    width = ours.width(q)
    best = {
        "keys": ours.key_gradients.best(q, k, v, do, sums, delta, dk, dv, scale, causal, width),
        "queries": ours.query_gradients.best(q, k, v, do, sums, delta, dq, scale, causal, width),
    }
    print(f"    {best}", flush=True)
    tflops = {who: flops / ms / 1e9 for who, ms in result["ms"].items()}
    return {"dtype": name, "n": n, "d": d, "causal": causal, "tflops": tflops, "relative_error": error, "best": best, **result}


def main() -> None:
    options = arguments(__doc__, lengths=[8192, 2048], widths=[128, 64])
    rows = []
    for name in ("f16", "bf16"):
        for n in options.lengths:
            for d in options.widths:
                for causal in (False, True):
                    rows.append(measure(name, n, d, causal, options.rounds))
                    write(options.out, "attention_backward", __doc__, rows, rounds=options.rounds)  # what there is, should a run be ended


if __name__ == "__main__":
    sys.exit(main())
