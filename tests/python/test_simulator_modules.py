"""Kernels that another generator wrote, in the llvm and nvvm dialects: they use what this compiler does not emit yet.

ampere_gemm       three stages of cp.async, ldmatrix, mma.sync, C through shared memory
hopper_gemm       clusters of 2 x 2 with TMA multicast, one producer warp, wgmma, stmatrix, TMA stores; persistent
hopper_attention  flash attention: TMA of rank 3, Q K^T and P V by wgmma, P from registers
"""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from conftest import ROOT
from lowered import pack_tensor_map

FOLDER = ROOT / "tests" / "python" / "modules"
SWIZZLE = 128


@pytest.fixture(autouse=True, params=[("", 0), ("all", 0), ("all", 1), ("all", 2)], ids=lambda p: f"{p[0] or 'unchecked'}-seed{p[1]}")
def settings(request):
    import phobos

    check, seed = request.param
    with phobos.target("host"), phobos.sim(check=check, seed=seed):
        yield


def text_of(name: str) -> str:
    return (FOLDER / f"{name}.mlir").read_text()


def simulate(name: str, *arguments, **launch) -> None:
    from phobos.testing import simulate_module

    simulate_module(text_of(name), *arguments, **launch)


def random(*shape: int) -> np.ndarray:
    return (np.random.default_rng(len(shape)).random(shape) - 0.5).astype(np.float16)


def distance(got, want) -> float:
    return float(np.linalg.norm(got.astype(np.float64) - want) / np.linalg.norm(want))


def tensor_map(array, *box: int) -> bytes:
    return pack_tensor_map(array, list(reversed(range(array.ndim))), box, SWIZZLE)


def ampere_gemm(k: int) -> None:
    m, n, tile = 128, 192, 64
    a, b, c = random(m, k), random(k, n), np.full((m, n), np.nan, np.float16)
    simulate("ampere_gemm", a, b, c, m, n, k, grid=(m // tile) * (n // tile), block=128, dynamic_shared_bytes=3 * 2 * tile * 32 * 2)
    assert distance(c, a.astype(np.float64) @ b) < 3e-4


@pytest.mark.parametrize("k", [96, 160])
def test_ampere_gemm(k):
    ampere_gemm(k)


def test_hopper_gemm():
    m, n, k = 250, 504, 200  # ragged: TMA fills with zeros and clips
    a, b, c = random(m, k), random(k, n), np.full((m, n), np.nan, np.float16)
    maps = tensor_map(a, 64, 32), tensor_map(b, 64, 64), tensor_map(c, 64, 64)
    tiles = math.ceil(m / 64), math.ceil(n / 128), math.ceil(k / 64)
    for grid in (4, 16):  # every cluster walks several tiles, or one
        c[...] = np.nan
        simulate("hopper_gemm", *maps, *tiles, grid=grid, block=256, dynamic_shared_bytes=90224)
        assert distance(c, a.astype(np.float64) @ b) < 3e-4


def test_hopper_attention():
    heads, n, d = 3, 256, 64
    q, k, v = (np.random.default_rng(i).standard_normal((heads, n, d)).astype(np.float16) for i in range(3))
    o = np.full_like(q, np.nan)
    scores = np.einsum("hnd,hmd->hnm", q.astype(np.float64), k) * d**-0.5
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    want = weights / weights.sum(-1, keepdims=True) @ v.astype(np.float64)
    maps = [tensor_map(array, 64, 64, 1) for array in (q, k, v, o)]
    tiles, tile_bytes = n // 64, 64 * d * 2
    simulate(
        "hopper_attention", *maps, n, tiles, tiles * heads, 1, struct.pack("<f", d**-0.5 * math.log2(math.e)), np.zeros(2, np.int32),
        grid=tiles * heads, block=256, dynamic_shared_bytes=6 * tile_bytes + 256,
    )
    assert distance(o, want) < 5e-4
