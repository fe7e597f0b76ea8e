"""Attention of one query a sequence (decoding), 32 heads over 8 heads of keys of width 128, f16, beside a copy and torch in one process: bytes of
keys and values read a second. Of a few numbers of parts the fastest is timed. What fits the L2 cache stays there between the calls."""

from __future__ import annotations

import decode_kernels as kernels
import torch
from bandwidth import check, measure, power_of_two, random
from common import arguments, write

HEADS, GROUPS, WIDTH = 32, 8, 128
BLOCKS = (264, 528, 1056, 2112)  # wanted: two, four … for each multiprocessor of an H200
FEWEST = 128  # keys of a part
MOST_PARTS = 256


def ways(q, k, v, o) -> dict:
    b, n = k.shape[0], k.shape[2]
    made = {}
    for blocks in BLOCKS:
        parts = min(max(blocks // (b * GROUPS), 1), max(n // FEWEST, 1), MOST_PARTS)
        if f"{parts} parts" in made:
            continue
        sums = torch.empty((parts, *q.shape), device="cuda")
        tops, totals = (torch.empty((parts, *q.shape[:3]), device="cuda") for _ in range(2))
        most = max(power_of_two(parts), 2)

        def compute(sums=sums, tops=tops, totals=totals, most=most) -> None:
            kernels.part[kernels.parts](q, k, v, sums, tops, totals, WIDTH**-0.5, WIDTH)
            kernels.join[kernels.queries](sums, tops, totals, o, WIDTH, most)

        compute()
        made[f"{parts} parts"] = compute, kernels.part.best(q, k, v, sums, tops, totals, WIDTH**-0.5, WIDTH)
    return made


def torch_peers(q, k, v) -> dict:
    """The heads that share keys are one head's queries, as ours."""
    return {"torch": lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v)}


def main() -> None:
    options = arguments(__doc__, batches=[8, 64], lengths=[1024, 4096, 16384, 65536])
    rows = []
    for b in options.batches:
        for n in options.lengths:
            q, k, v = (random((b, GROUPS, length, WIDTH), "f16", b + n + i) for i, length in enumerate((HEADS // GROUPS, n, n)))
            o = torch.full_like(q, float("nan"))
            s = q[0].double() @ k[0].double().transpose(1, 2) * WIDTH**-0.5
            want = torch.softmax(s, 2) @ v[0].double()

            def verify(label: str, o=o, want=want) -> float:
                error = check(label, o[0], want, 1e-3)
                o.fill_(float("nan"))
                return error

            result = measure(f"{b} queries of {n} keys", ways(q, k, v, o), verify, torch_peers(q, k, v), 2 * k.numel() * k.element_size(), options.rounds)
            rows.append({"case": "decoding", "dtype": "f16", "batch": b, "rows": b, "columns": n, **result})
            del q, k, v, o
            torch.cuda.empty_cache()
            write(options.out, "decode", __doc__, rows, rounds=options.rounds)  # what there is, should a run be ended


if __name__ == "__main__":
    main()
