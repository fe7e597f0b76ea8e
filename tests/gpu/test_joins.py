"""Tiles put together and taken apart, bit for bit."""

from __future__ import annotations

import pytest
from gpu.test_tiles import listed, whole

SHAPES = [(64,), (1,), (16, 64), (128, 2), (4, 8, 16)]
KERNEL = """
@ph.kernel
@ph.launch({threads})
def kernel(A: ph.tensor[ph.{dtype}][{shape}], B: ph.tensor[ph.{dtype}][{shape}], J: ph.tensor[ph.{dtype}][{shape}, 2],
           X: ph.tensor[ph.{dtype}][{shape}], Y: ph.tensor[ph.{dtype}][{shape}], {parameters}):
    a, b = A[{all}], B[{all}]
    J[{all}, :] = ph.join(a, b)
    x, y = ph.split(J[{all}, :])
    X[{all}] = x
    Y[{all}] = y
{cats}
"""
DTYPES = {"f32": "float32", "f16": "float16", "i8": "int8", "f64": "float64", "bool": "bool"}


@pytest.mark.parametrize("threads", [32, 256])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_join_split_cat(shape, dtype, threads, load_kernels, torch):
    torch.manual_seed(0)
    a, b = ((torch.randn(shape, device="cuda") * 50).to(getattr(torch, DTYPES[dtype])) for _ in range(2))
    if a.is_floating_point():
        a.view(-1)[0], b.view(-1)[-1] = float("nan"), -0.0
    rank = len(shape)
    whole_shapes = [tuple(2 * n if d == axis else n for d, n in enumerate(shape)) for axis in range(rank)]
    text = KERNEL.format(
        threads=threads, dtype=dtype, shape=listed(shape), all=whole(shape),
        parameters=", ".join(f"C{axis}: ph.tensor[ph.{dtype}][{listed(s)}]" for axis, s in enumerate(whole_shapes)),
        cats="\n".join(f"    C{axis}[{whole(shape)}] = ph.cat(a, b, axis={axis if axis % 2 else axis - rank})" for axis in range(rank)),
    )  # fmt: skip
    empty = lambda s: torch.zeros(s, device="cuda", dtype=a.dtype)  # noqa: E731
    joined, x, y, cats = empty((*shape, 2)), empty(shape), empty(shape), [empty(s) for s in whole_shapes]
    load_kernels(text).kernel[1](a, b, joined, x, y, *cats)
    torch.cuda.synchronize()

    def bits(t):
        return t.contiguous().view({1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[t.element_size()])

    wanted = [(joined, torch.stack([a, b], -1)), (x, a), (y, b), *((c, torch.cat([a, b], axis)) for axis, c in enumerate(cats))]
    for got, want in wanted:
        assert torch.equal(bits(got), bits(want))
