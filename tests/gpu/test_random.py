"""Random numbers against Philox 4x32-10 in NumPy, bit for bit, and that against its authors' known answers; moments."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import ROOT, import_file

philox = import_file(ROOT / "examples" / "tutorials" / "t04_low_memory_dropout.py").philox

SIZE = 1 << 20
SEEDS = [0, 1, -1, 0x299F31D0A4093822, -(1 << 63)]
DRAW = """
@ph.kernel
@ph.aligned(N=1024)
def draw(O: ph.tensor[ph.{offset}][N], B: ph.tensor[ph.{out}][N], seed: ph.{seed}):
    i = ph.ctx.block.x * 1024
    B[i:+1024] = {expression}
"""


def words(seed: int, offset):
    """The four words that the numbers in `offset`, an array of any integer type, share with their neighbours; and each one's number among them."""
    bits = np.asarray(offset).astype(np.int64).view(np.uint64)
    counter = bits >> np.uint64(2)
    four = philox((counter & np.uint64(0xFFFFFFFF), counter >> np.uint64(32), 0, 0), (seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF))
    return four, (bits & np.uint64(3)).astype(np.int64)


def word(seed: int, offset):
    """What ph.randint draws."""
    four, place = words(seed, offset)
    return np.choose(place, four)


def uniform(bits):
    return (bits >> np.uint64(8)).astype(np.float32) * np.float32(2.0**-24)


def as_i32(bits):
    return bits.astype(np.uint32).view(np.int32)


@pytest.fixture
def drawn(load_kernels, torch):
    """drawn(expression, offsets, seed, out): `expression` of O[i:+1024] and seed, as a NumPy array."""

    def run(expression: str, offsets, seed: int, out: str, seed_type: str = "i64"):
        names = {"int32": "i32", "int64": "i64", "uint8": "u8"}
        text = DRAW.format(offset=names[str(offsets.dtype)], out=out, seed=seed_type, expression=expression)
        result = torch.zeros(len(offsets), device="cuda", dtype={"i32": torch.int32, "f32": torch.float32}[out])
        load_kernels(text).draw[len(offsets) // 1024](torch.from_numpy(offsets).to("cuda"), result, seed)
        torch.cuda.synchronize()
        return result.cpu().numpy()

    return run


def bits_drawn(drawn, offset: str, *given, **more):
    return drawn(f"ph.bitcast(ph.randint(seed, {offset}), ph.i32)", *given, "i32", **more)


KNOWN = """
    00000000 00000000 00000000 00000000 00000000 00000000 6627e8d5 e169c58d bc57ac4c 9b00dbd8
    ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff 408f276d 41c83b0e a20bc7c6 6d5451fd
    243f6a88 85a308d3 13198a2e 03707344 a4093822 299f31d0 d16cfe09 94fdcceb 5001e420 24126ea1
"""


def test_known_answers(drawn):
    """Counter, key and result of Random123's kat_vectors; ours are those whose last two words of counter are 0."""
    for line in KNOWN.split("\n")[1:-1]:
        numbers = [int(word, 16) for word in line.split()]
        assert [int(word[0]) for word in philox(numbers[:4], numbers[4:6])] == numbers[6:]
    first = bits_drawn(drawn, "O[i:+1024]", np.zeros(1024, np.int64), 0)
    assert (first.view(np.uint32) == 0x6627E8D5).all()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8"])
def test_bits(dtype, seed, drawn):
    """Offsets of any type are the number they are: negative ones have a high word of ones."""
    limits = np.iinfo(dtype)
    offsets = np.random.default_rng(1).integers(limits.min, limits.max, 4096, dtype=dtype, endpoint=True)
    offsets[:4] = limits.min, limits.max, 0, 1
    assert (bits_drawn(drawn, "O[i:+1024]", offsets, seed) == as_i32(word(seed, offsets))).all()


@pytest.mark.parametrize("seed,seed_type", [(-5, "i32"), (7, "i32"), ((1 << 64) - 3, "u64"), (0xFFFFFFFB, "u32"), (200, "u8")])
def test_seeds_of_every_type(seed, seed_type, drawn):
    places = np.arange(2048)
    got = bits_drawn(drawn, "i + ph.iota(1024)", places.astype(np.int32), seed, seed_type=seed_type)
    assert (got == as_i32(word(seed, places))).all()


def test_shapes_and_scalars(load_kernels, torch):
    """A tile of rank 2, a scalar offset that is the block's number, and constants for both."""
    text = """
    @ph.kernel
    def draw(A: ph.tensor[ph.i32][24, 20], B: ph.tensor[ph.i32][3], C: ph.tensor[ph.f32][2]):
        b = ph.ctx.block.x
        place = (b * 8 + ph.iota(8))[:, None] * 20 + ph.iota(20)
        A[b * 8:+8, :] = ph.bitcast(ph.randint(11, place), ph.i32)
        B[b] = ph.bitcast(ph.randint(b, b + 100), ph.i32)
        if b == 0:
            C[0] = ph.rand(3, 4)
            C[1] = ph.randn(3, 4)
    """
    a, b = torch.zeros((24, 20), device="cuda", dtype=torch.int32), torch.zeros(3, device="cuda", dtype=torch.int32)
    c = torch.zeros(2, device="cuda")
    load_kernels("\n".join(line[4:] for line in text.split("\n"))).draw[3](a, b, c)
    torch.cuda.synchronize()
    assert (a.cpu().numpy() == as_i32(word(11, np.arange(480).reshape(24, 20)))).all()
    assert (b.cpu().numpy() == [as_i32(word(i, [i + 100]))[0] for i in range(3)]).all()
    assert c[0].item() == uniform(word(3, [4]))[0]
    assert abs(c[1].item() - normal(3, [4])[0][0]) < 1e-5


def test_uniform(drawn):
    offsets = np.arange(SIZE, dtype=np.int64)
    got = drawn("ph.rand(seed, O[i:+1024])", offsets, 5, "f32")
    assert (got == uniform(word(5, offsets))).all()
    assert got.min() >= 0 and got.max() < 1
    x = got.astype(np.float64)
    sigma = (1 / 12 / SIZE) ** 0.5
    assert abs(x.mean() - 1 / 2) < 5 * sigma
    assert abs(x.var() - 1 / 12) < 5 * (1 / 180 / SIZE) ** 0.5
    assert abs(np.mean((x[1:] - 0.5) * (x[:-1] - 0.5))) < 5 * sigma  # neighbours do not hang together


def normal(seed: int, offset):
    """Box and Muller's in f64, of the first or of the second two of the words: a cosine where the offset is even, a sine where it is odd; and the radius."""
    four, place = words(seed, offset)
    first, second = (np.choose(place // 2, (four[i], four[i + 2])) for i in (0, 1))
    u = first.astype(np.uint32).astype(np.float32) * np.float32(2.0**-32) + np.float32(2.0**-33)
    radius, angle = np.sqrt(-2 * np.log(u.astype(np.float64))), 2 * np.pi * 2.0**-32 * as_i32(second).astype(np.float64)
    return radius * np.where(place % 2, np.sin(angle), np.cos(angle)), radius


def test_normal(drawn, torch):
    """Within 2^-20 of the radius (docs/approximations.md), and distributed as it should be."""
    offsets = np.arange(SIZE, dtype=np.int64)
    got = drawn("ph.randn(seed, O[i:+1024])", offsets, 5, "f32").astype(np.float64)
    want, radius = normal(5, offsets)
    error = np.abs(got - want)
    print(f"largest error {(error / radius).max() * 2**20:.3f} * 2^-20 of the radius, {error.max():.3g} absolute")
    assert (error <= 2.0**-20 * radius).all()
    # The moments of n normal numbers lie around 0, 1, 0 and 3 with variances of 1/n, 2/n, 15/n and 96/n.
    for power, (moment, variance) in enumerate([(0, 1), (1, 2), (0, 15), (3, 96)], start=1):
        assert abs(np.mean(got**power) - moment) < 5 * (variance / SIZE) ** 0.5, power
    # Kolmogorov and Smirnov's distance, beyond 2 / sqrt(n) once in 1500 times.
    ranks = (np.arange(SIZE) + 0.5) / SIZE
    assert np.abs(torch.special.ndtr(torch.from_numpy(np.sort(got))).numpy() - ranks).max() < 2 / SIZE**0.5


def test_the_tail_is_reached(drawn):
    """The offset, found by a search, whose first word is the least of those of the first 2^24: the largest radius among them."""
    firsts = [np.stack(words(0, np.arange(i << 20, i + 1 << 20, 4))[0][::2], axis=1).reshape(-1) for i in range(16)]
    place = 2 * int(np.concatenate(firsts).argmin())
    want, radius = normal(0, [place])
    got = drawn("ph.randn(seed, O[i:+1024])", np.full(1024, place, np.int64), 0, "f32")
    assert radius[0] > 5.5
    assert np.abs(got - want[0]).max() <= 2.0**-20 * radius[0]
