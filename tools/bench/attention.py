"""Attention forward, as tutorial 06 has it, beside cuDNN's and FlashAttention 2 (both by way of torch) and Triton in one process: full and causal, f16 and
bf16, also with keys that grow along the walk, so that rows' maxima keep growing.

FLOPs are 4 B H M N D, half of that if causal. Errors are of three heads against float64.
"""

from __future__ import annotations

import sys

import torch
from common import ROOT, arguments, compare, show, with_element, write
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

BATCH, HEADS, CHECKED = 4, 16, 3
TUTORIALS = ROOT / "examples" / "tutorials"
# The largest relative error, of what is rounded to the type on the way to the second product and at the end.
TOLERANCES = {"f16": (torch.float16, 5e-4), "bf16": (torch.bfloat16, 3e-3)}


def inputs(name: str, n: int, d: int, growing: bool):
    generator = torch.Generator(device="cuda").manual_seed(n + d)
    q, k, v = (torch.randn((BATCH, HEADS, n, d), device="cuda", generator=generator) for _ in range(3))
    if growing:
        k *= torch.linspace(0.1, 4, n, device="cuda")[:, None]
    return [x.to(TOLERANCES[name][0]) for x in (q, k, v)]


def check(label: str, o, sums, q, k, v, causal: bool, tolerance: float) -> float:
    """The relative error of some heads against float64; a wrong kernel's speed says nothing."""
    error = 0.0
    for head in range(CHECKED):
        wide = [x[head, head].double() for x in (q, k, v)]
        s = wide[0] @ wide[1].T * q.shape[3] ** -0.5
        if causal:
            s.masked_fill_(~torch.ones_like(s, dtype=torch.bool).tril(), -float("inf"))
        if not torch.allclose(sums[head, head].double(), torch.logsumexp(s, 1), atol=1e-3, rtol=1e-5):
            raise SystemExit(f"{label}: wrong sums of exponentials")
        want = torch.softmax(s, 1) @ wide[2]
        error = max(error, ((o[head, head].double() - want).norm() / want.norm()).item())
    if not error < tolerance:
        raise SystemExit(f"{label}: relative error {error:.3g}, not below {tolerance}")
    return error


def measure(name: str, n: int, d: int, causal: bool, growing: bool, rounds: int) -> dict:
    ours = with_element("t06_attention", name, TUTORIALS)
    q, k, v = inputs(name, n, d, growing)
    scale, tolerance = d**-0.5, TOLERANCES[name][1]
    o, other = torch.full_like(q, float("nan")), torch.full_like(q, float("nan"))
    sums, their_sums = (torch.empty(q.shape[:3], device="cuda") for _ in range(2))
    given = (q, k, v, o, sums, scale, causal, d)

    def phobos() -> None:
        ours.attention[ours.blocks](*given)

    phobos()
    label = f"{name} N {n} D {d}" + (", causal" if causal else "") + (", growing" if growing else "")
    error = check(label, o, sums, q, k, v, causal, tolerance)
    first = o.clone()
    for _ in range(10):
        phobos()
        if not torch.equal(o, first):
            raise SystemExit(f"{label}: other bits the second time")

    def torch_by(backend):
        def run() -> None:
            with sdpa_kernel(backend):
                scaled_dot_product_attention(q, k, v, is_causal=causal)

        return run

    peers = {"cuDNN": torch_by(SDPBackend.CUDNN_ATTENTION), "FA2": torch_by(SDPBackend.FLASH_ATTENTION)}
    try:
        from peers import triton_attention

        triton_attention(q, k, v, other, their_sums, scale, causal)
        check(f"{label}, Triton", other, their_sums, q, k, v, causal, tolerance)
        peers["Triton"] = lambda: triton_attention(q, k, v, other, their_sums, scale, causal)
    except ImportError:
        pass
    result = compare({"phobos": phobos, **peers}, rounds)
    flops = 4.0 * BATCH * HEADS * n * n * d * (0.5 if causal else 1)
    show(label, result, lambda ms: flops / ms / 1e9, "TFLOP/s")
    best = ours.attention.best(*given)
    print(f"    {best}", flush=True)
    tflops = {who: flops / ms / 1e9 for who, ms in result["ms"].items()}
    return {
        "dtype": name, "n": n, "d": d, "causal": causal, "growing": growing, "tflops": tflops, "relative_error": error, "best": best, **result,
    }  # fmt: skip


def main() -> None:
    options = arguments(__doc__, lengths=[8192, 2048], widths=[128, 64])
    rows = []
    cases = [("f16", n, d, causal, False) for n in options.lengths for d in options.widths for causal in (False, True)]
    cases += [("f16", n, d, False, True) for n in options.lengths for d in options.widths]
    cases += [("bf16", n, d, causal, False) for n in options.lengths for d in options.widths for causal in (False, True)]
    for case in cases:
        rows.append(measure(*case, options.rounds))
        write(options.out, "attention", __doc__, rows, rounds=options.rounds)  # what there is, should a run be ended


if __name__ == "__main__":
    sys.exit(main())
