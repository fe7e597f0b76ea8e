"""ph.std against torch.nn.functional in float64: values, gradients by autograd, special values; tiles of ranks 1 to 3 and numbers, of every dtype that
computes; then what torch has no function for."""

from __future__ import annotations

import inspect
import math
import re

import pytest
from conftest import ROOT
from gpu.std_cases import ACTIVATIONS, CANCELLING, LOSSES, OF_ROWS
from gpu.test_tiles import listed, whole

UNIT = {"f64": 2.0**-52, "f32": 2.0**-23, "f16": 2.0**-10, "bf16": 2.0**-7}  # between 1 and the next number
SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1e-30, -1e-30, 1e-6, -1e-6, 1e30, -1e30, 6e4, -6e4, 20.5, 89.0, -89.0, 104.0, -104.0]
KINKS = [0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 6.0]
SPECIAL += KINKS


def dtypes(torch):
    return {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64}


def argument(torch, name: str, shape, dtype: str):
    """Numbers that are what the name says, on the CPU: x and y reach far, and x has special values where it is not of rows and columns."""
    torch.manual_seed(sum(map(ord, name)))
    if name in ("w", "bias", "sides", "labels", "col"):
        shape = {"w": shape[-1:], "bias": shape[-1:], "col": (shape[0], 1)}.get(name, shape[:1])
    x = 3 * torch.randn(shape, dtype=torch.float64)
    flat = x.view(-1)
    if name in ("x", "y") and len(shape) != 2 and x.numel() >= 64:
        flat[: x.numel() // 4] *= 1e-3
        flat[x.numel() // 4 : x.numel() // 2] *= 8
    if name == "x" and len(shape) != 2 and x.numel() >= 64:
        flat[5 : 5 + len(SPECIAL)] = torch.tensor(SPECIAL, dtype=torch.float64)
    if name == "labels":
        return (torch.arange(shape[0]) * 5 % 7).int()
    kinds = {
        "p": lambda: x.sigmoid(), "soft": lambda: (x / 2 + 0.5).clamp(0, 1), "side": x.sign, "sides": x.sign, "count": lambda: x.abs().round(),
        "v": lambda: x.abs() + 0.01,
    }  # fmt: skip
    return kinds.get(name, lambda: x)().to(dtypes(torch)[dtype])


@pytest.fixture
def evaluate(load_kernels, torch):
    """evaluate(arrays, [(names, expression, shapes, dtype), …], shape): the value of each name, computed in one kernel and stored as that dtype (or those)."""

    def run(arrays, wanted, shape=None, threads=128):
        names = {kind: name for name, kind in dtypes(torch).items()} | {torch.int32: "i32", torch.int8: "i8", torch.bool: "bool"}
        names |= {getattr(torch, name): short for name, short in (("float8_e4m3fn", "f8e4m3"), ("float8_e5m2", "f8e5m2")) if hasattr(torch, name)}
        given = {name: array.cuda() for name, array in arrays.items()}
        results, lines, stores = {}, [], []
        for targets, expression, shapes, dtype in wanted:
            lines.append(f"    {', '.join(targets)} = {expression}")
            for target, extents, kind in zip(targets, shapes, dtype if isinstance(dtype, list) else [dtype] * len(shapes)):
                if not target.startswith("_"):
                    results[target] = torch.full(tuple(extents) or (1,), 77, device="cuda").to(kind)
                    stores.append(f"    {target}_out[{whole(extents) or 0}] = {target}")
        tensors = {f"{name}_in": array for name, array in given.items()} | {f"{name}_out": array for name, array in results.items()}
        parameters = ", ".join(f"{name}: ph.tensor[ph.{names[array.dtype]}][{listed(array.shape)}]" for name, array in tensors.items())
        scalars = shape == ()
        loads = [f"    {name} = {name}_in[{'0' if scalars else whole(array.shape)}]" for name, array in given.items()]
        text = f"@ph.kernel\n@ph.launch({threads})\ndef kernel({parameters}):\n" + "\n".join(loads + lines + stores) + "\n"
        load_kernels(text).kernel[1](*tensors.values())
        torch.cuda.synchronize()
        return {name: array.cpu() for name, array in results.items()}

    return run


def problem(torch, what: str, got, want, dtype: str, x, slack: float) -> str | None:
    """What is wrong, if more is than a rounding to the dtype and some of f32 (f64), of the result and of exponents; and so much slack, in units of x."""
    of_x = x.shape == want.shape
    wide = dtype in ("f32", "f64")
    finest = UNIT[dtype] if wide else UNIT["f32"]
    smallest = {"f16": 2.0**-25, "f64": 2.0**-1022}.get(dtype, 1e-36)  # exp(x) becomes 0, or infinite, as early
    size = 1 + x.abs().clamp(max=110).nan_to_num(nan=0) if of_x else torch.ones((), dtype=torch.float64)
    allowed = want.abs() * (finest * (8 + 3 * size) + (0 if wide else 0.51 * UNIT[dtype])) + smallest
    allowed += (slack * finest + 32 * UNIT["f64"]) * size  # torch's own sums cancel too
    good = ((got.double() - want).abs() <= allowed) | (got == want.to(got.dtype)) | (got.isnan() & want.isnan())
    if of_x:
        good |= x.isinf() & want.isnan()  # a limit is as good as torch's inf - inf
    if good.all():
        return None
    i = tuple((~good).nonzero()[0].tolist())
    at = f", where x is {x[i].item()!r}" if of_x else ""
    return f"{what}: {got[i].item()!r} at {i}{at}, not {want[i].item()!r}; {int((~good).sum())} of {good.numel()} are wrong"


def compare(torch, evaluate, cases, shape, dtype: str):
    """The cases' values and gradients, computed in one kernel, and then each against its reference."""
    kind = dtypes(torch)[dtype]
    arrays, wanted, expected = {}, [], []
    for number, (call, gradient, reference, *wrt) in enumerate(cases):
        names = list(inspect.signature(reference).parameters)[1:]
        arrays |= {name: argument(torch, name, shape or (1,), dtype) for name in names}
        by = wrt[0].split() if wrt else names[:1]
        exact = {name: arrays[name].long() if name == "labels" else arrays[name].double() for name in names}
        inputs = [exact[name].requires_grad_() for name in by if name != "_"]
        value = reference(torch.nn.functional, *exact.values())
        x = exact[names[0]].detach()
        result = tuple(value.shape) if shape else ()
        wanted.append(([f"r{number}"], f"ph.std.{call}", [result], kind))
        # torch lets a NaN become 0 in soft_shrink, before 2.6.
        want = torch.where(x.isnan(), x, value.detach()) if x.shape == value.shape else value.detach()
        expected.append((f"r{number}", call, want, x, 4 if call.partition("(")[0] in CANCELLING else 0))
        if gradient is None:
            continue
        dy = "dy" if result == shape else "dy_" + "_".join(map(str, result))
        arrays[dy] = argument(torch, dy, tuple(value.shape), dtype)
        targets = ["_" if name == "_" else f"g{number}{name}" for name in by]
        # What is to be summed for a weight comes in f32 at least.
        kinds = [torch.promote_types(kind, torch.float32) if name == "w" else kind for name in by]
        wanted.append((targets, "ph.std." + gradient.replace("dy", dy), [shape] * len(by), kinds))
        for name, grad in zip([name for name in by if name != "_"], torch.autograd.grad(value, inputs, arrays[dy].double())):
            expected.append((f"g{number}{name}", f"{gradient}, by {name}", grad, x, 8))
    wanted = ([(["wide"], "ph.std.widen(x)", [], kind)] if "x" in arrays else []) + wanted
    got = evaluate(arrays, wanted, shape)
    problems = []
    for name, what, want, x, slack in expected:
        value = got[name]
        if value.numel() != want.numel():  # of a weight: a kernel sums over its rows
            value = value.double().sum(0)
        value = value.reshape(want.shape)
        if name.startswith("g") and x.shape == want.shape:
            want = torch.where(x.isnan(), value.double(), want)  # torch has several conventions
        stored = {kind: name for name, kind in dtypes(torch).items()}[got[name].dtype]
        problems.append(problem(torch, f"{what} of {dtype}", value, want, stored, x, slack))
    problems = [each for each in problems if each]
    assert not problems, "\n".join(problems)


def in_groups(cases, size: int):
    return [cases[i : i + size] for i in range(0, len(cases), size)]


ELEMENTWISE = in_groups(ACTIVATIONS + LOSSES, 8)
SHAPES = [("f32", (256,)), ("f16", (16, 3, 5)), ("bf16", (9, 7)), ("f64", (64,)), ("f32", ())]


@pytest.mark.parametrize("dtype,shape", SHAPES, ids=str)
@pytest.mark.parametrize("group", range(len(ELEMENTWISE)))
def test_elementwise(group, dtype, shape, evaluate, torch):
    compare(torch, evaluate, ELEMENTWISE[group], shape, dtype)


@pytest.mark.parametrize("dtype,shape", [("f32", (12, 40)), ("f16", (16, 64)), ("bf16", (8, 8)), ("f64", (8, 24))], ids=str)
@pytest.mark.parametrize("group", range(len(in_groups(OF_ROWS, 8))))
def test_of_rows(group, dtype, shape, evaluate, torch):
    compare(torch, evaluate, in_groups(OF_ROWS, 8)[group], shape, dtype)


LOSSES = ["hinge_embedding_grad(x, side, {})", "cross_entropy_grad(x, labels, {})", "nll_grad(x, labels, {})", "cosine_similarity_grad(x, y, {})", "cosine_embedding_grad(x, y, sides, {})"]  # fmt: skip


def test_a_number_as_gradient_of_a_loss(evaluate, torch):
    """It is as exact as x: 0.1 of f64 is not that of f32."""
    shape = (8, 16)
    arrays = {name: argument(torch, name, shape, "f64") for name in ("x", "y", "side", "sides", "labels")}
    wanted = []
    for i, call in enumerate(LOSSES):
        wanted += [([f"{name}{i}"], f"ph.std.{call.format(dy)}", [shape], torch.float64) for name, dy in (("one", 1.0), ("tenth", 0.1))]
    got = evaluate(arrays, wanted)
    for i, call in enumerate(LOSSES):
        assert (got[f"one{i}"] != 0).any() and torch.allclose(got[f"tenth{i}"], 0.1 * got[f"one{i}"], rtol=1e-13, atol=0), call


def test_special_rows(evaluate, torch):
    """Rows with infinities, of nothing but -inf, far from 0."""
    inf, nan = math.inf, math.nan
    x = torch.tensor([[0.0, -inf, 1.0, 2.0], [-inf] * 4, [inf, 0.0, 1.0, -inf], [3e38, 3e38, -3e38, 0.0], [-1e4, -1e4, -2e4, -1e4], [nan, 0.0, 1.0, 2.0]])
    wanted = [([name], f"ph.std.{name}(x)", [(6, 4)], torch.float32) for name in ("softmax", "log_softmax")]
    wanted += [(["sums"], "ph.std.log_sum_exp(x)", [(6,)], torch.float32), (["loss"], "ph.std.cross_entropy(x, labels)", [(6,)], torch.float32)]
    labels = torch.tensor([2, 0, 1, 1, 3, 2], dtype=torch.int32)
    got = evaluate({"x": x, "labels": labels}, wanted)
    functional, exact = torch.nn.functional, x.double()
    close = lambda a, b: torch.allclose(a, b.float(), rtol=3e-6, atol=1e-30, equal_nan=True)  # noqa: E731
    assert close(got["softmax"], functional.softmax(exact, 1))
    assert close(got["log_softmax"], functional.log_softmax(exact, 1))
    assert close(got["sums"], exact.logsumexp(1))
    assert close(got["loss"], functional.cross_entropy(exact, labels.long(), reduction="none"))


@pytest.mark.parametrize("dtype", ["f32", "f16"])
def test_other_ranks(dtype, evaluate, torch):
    """One row, which has a number for each of its own, and stacks of matrices; dy left out, or of another dtype."""
    kind, functional = dtypes(torch)[dtype], torch.nn.functional
    x, cube, t = torch.randn(48).to(kind), torch.randn(3, 4, 20).to(kind), torch.randn(48)
    label = torch.tensor([5], dtype=torch.int32)
    wanted = [
        (["loss"], "ph.std.cross_entropy(x, label_in[0])", [()], kind), (["loss_grad"], "ph.std.cross_entropy_grad(x, label_in[0])", [(48,)], kind),
        (["soft"], "ph.std.softmax(x)", [(48,)], kind), (["sum"], "ph.std.log_sum_exp(x)", [()], kind), (["normal"], "ph.std.layer_norm(x)", [(48,)], kind),
        (["cosine"], "ph.std.cosine_similarity(x, t)", [()], kind), (["away"], "ph.std.mse_grad(x, t)", [(48,)], kind),
        (["middle"], "ph.std.softmax(cube, 1)", [(3, 4, 20)], kind), (["pages"], "ph.std.layer_norm(cube, axis=(1, 2))", [(3, 4, 20)], kind),
        (["squares"], "ph.std.mse(x, 0.5)", [(48,)], kind),
    ]  # fmt: skip
    got = evaluate({"x": x, "cube": cube, "t": t, "label": label}, wanted)
    exact, stack = x.double(), cube.double()
    loss = functional.cross_entropy(exact.requires_grad_(), label[0].long())
    want = {
        "loss": loss, "loss_grad": torch.autograd.grad(loss, exact)[0], "soft": exact.softmax(0), "sum": exact.logsumexp(0),
        "normal": functional.layer_norm(exact, (48,)), "cosine": functional.cosine_similarity(exact, t.double(), 0), "away": 2 * (exact - t),
        "middle": stack.softmax(1), "pages": functional.layer_norm(stack, (4, 20)), "squares": (exact - 0.5) ** 2,
    }  # fmt: skip
    for name, value in want.items():
        assert torch.allclose(got[name].double().reshape(value.shape), value, rtol=UNIT[dtype] * 16 if dtype == "f32" else UNIT[dtype], atol=1e-6), name


def test_group_norm(evaluate, torch):
    x, weight = torch.randn(16, 64).half(), torch.randn(16).half()
    wanted = [(["y"], "ph.std.group_norm(x, 4, weight[:, None], eps=1e-3)", [(16, 64)], torch.float16)]
    got = evaluate({"x": x, "weight": weight}, wanted)["y"]
    want = torch.nn.functional.group_norm(x.double()[None], 4, weight.double(), None, 1e-3)[0]
    assert torch.allclose(got.double(), want, rtol=1e-3, atol=1e-6)


def test_length(load_kernels, torch):
    """Tiles longer than their rows: what lies beyond counts for nothing, whatever it is."""
    text = """
@ph.kernel
@ph.launch(64)
def kernel(X: ph.tensor[ph.f32][R, C], W: ph.tensor[ph.f32][C], L: ph.tensor[ph.i32][R], Y: ph.tensor[ph.f32][7, R, C], LOSS: ph.tensor[ph.f32][R]):
    x = ph.load(X[0:+4, 0:+64], other=99.0)
    logits = ph.load(X[0:+4, 0:+64], other=-float("inf"))
    dy = ph.load(X[0:+4, 0:+64], other=5.0) * 2
    w = W[0:+64]
    Y[0, 0:+4, 0:+64] = ph.std.layer_norm(x, w, length=C)
    dx, dw = ph.std.layer_norm_grad(x, dy, w, length=C)
    Y[1, 0:+4, 0:+64] = dx
    Y[2, 0:+4, 0:+64] = dw
    Y[3, 0:+4, 0:+64] = ph.std.rms_norm(x, w, length=C)
    dx, dw = ph.std.rms_norm_grad(x, dy, w, length=C)
    Y[4, 0:+4, 0:+64] = dx
    Y[5, 0:+4, 0:+64] = ph.std.cross_entropy_grad(logits, L[0:+4], label_smoothing=0.3, length=C)
    Y[6, 0:+4, 0:+64] = ph.std.softmax(logits)
    LOSS[0:+4] = ph.std.cross_entropy(logits, L[0:+4], label_smoothing=0.3, length=C)
"""
    x, w, labels = torch.randn(4, 37), torch.randn(37), torch.tensor([0, 5, 36, 8], dtype=torch.int32)
    y, loss = torch.zeros(7, 4, 37, device="cuda"), torch.zeros(4, device="cuda")
    load_kernels(text).kernel[1](x.cuda(), w.cuda(), labels.cuda(), y, loss)
    torch.cuda.synchronize()
    functional, dy = torch.nn.functional, 2 * x.double()
    exact = x.double().requires_grad_()
    normal = functional.layer_norm(exact, (37,), w.double())
    scaled = exact * (exact.square().mean(1, True) + 1e-6).rsqrt() * w.double()
    entropy = functional.cross_entropy(exact, labels.long(), reduction="none", label_smoothing=0.3)
    grad = lambda value, of: torch.autograd.grad(value, exact, of)[0]  # noqa: E731
    plain = functional.layer_norm(exact, (37,)) * dy
    want = [normal, grad(normal, dy), plain, scaled, grad(scaled, dy), grad(entropy, torch.ones(4).double()), exact.softmax(1)]
    for i, (have, expected) in enumerate(zip(y.cpu().double(), want)):
        assert torch.allclose(have, expected, rtol=1e-5, atol=1e-5), i
    assert torch.allclose(loss.cpu().double(), entropy, rtol=1e-6)


def test_basics(evaluate, torch):
    x = torch.tensor([0.0, -0.0, 1e-30, -1e-3, 0.999, -0.999, 1.001, 5.0, -20.0, math.inf, -math.inf, 88.0, 1e-6, -1.5, 2.0, -0.3])
    wanted = [
        (["less"], "ph.std.expm1(x)", [(16,)], torch.float32), (["signs"], "ph.std.sign(x)", [(16,)], torch.float32),
        (["wide"], "ph.std.widen(n) / 2", [(16,)], torch.float32), (["upwards"], "ph.std.cdiv(n, 3)", [(16,)], torch.int32),
        (["_", "variance"], "ph.std.moments(far)", [(1,), (1,)], torch.float32),
    ]  # fmt: skip
    far = 1e6 + torch.arange(16.0)
    got = evaluate({"x": x, "n": torch.arange(16, dtype=torch.int32), "far": far}, wanted)
    assert torch.allclose(got["less"].double(), x.double().expm1(), rtol=2e-5, atol=0)
    near = x.abs() < 3
    assert torch.allclose(got["less"].double()[near], x.double()[near].expm1(), rtol=8 * UNIT["f32"], atol=0)
    assert torch.equal(got["signs"], x.sign())
    assert torch.equal(got["wide"], torch.arange(16) / 2)
    assert torch.equal(got["upwards"], ((torch.arange(16) + 2) // 3).int())
    assert got["variance"].item() == far.double().var(unbiased=False).item()


def test_grouped(load_kernels, torch):
    """Every block of a grid once, groups of rows first."""
    text = """
@ph.kernel
@ph.launch(32)
def kernel(OUT: ph.tensor[ph.i32][N, 2]):
    row, column = ph.std.grouped(ph.ctx.block.x, 7, 5, 3)
    OUT[ph.ctx.block.x, 0] = row
    OUT[ph.ctx.block.x, 1] = column
"""
    out = torch.zeros(35, 2, device="cuda", dtype=torch.int32)
    load_kernels(text).kernel[35](out)
    torch.cuda.synchronize()
    assert out.tolist() == [[row, column] for first in (0, 3, 6) for column in range(5) for row in range(first, min(first + 3, 7))]


@pytest.mark.parametrize("dtype", ["f32", "f16"])
def test_dropout(dtype, evaluate, torch):
    kind = dtypes(torch)[dtype]
    x = torch.randn(64, 64).to(kind)
    place = "ph.iota(64)[:, None] * 64 + ph.iota(64)"
    calls = {"y": "dropout(x, 0.3, 7, place)", "again": "dropout_grad(x, 0.3, 7, place)", "other": "dropout(x, 0.3, 8, place)"}
    calls |= {"all": "dropout(x, 0.0, 7, place)", "none": "dropout(x, 1.0, 7, place)"}
    wanted = [(["place"], place, [], torch.int32)] + [([name], f"ph.std.{call}", [(64, 64)], kind) for name, call in calls.items()]
    got = evaluate({"x": x}, wanted)
    kept = got["y"] != 0
    assert torch.allclose(got["y"][kept].double(), x[kept].double() / 0.7, rtol=UNIT[dtype])
    assert abs(kept.double().mean().item() - 0.7) < 0.03
    assert torch.equal(got["y"], got["again"]) and not torch.equal(kept, got["other"] != 0)
    assert torch.equal(got["all"], x) and not got["none"].any()


@pytest.mark.parametrize("shape,axis", [((4, 64), 1), ((40, 6), 0), ((300,), 0)], ids=str)
def test_combinations(shape, axis, evaluate, torch):
    x = torch.randn(shape)
    integers = torch.randint(-4, 5, shape, dtype=torch.int32)
    less = tuple(n for d, n in enumerate(shape) if d != axis)
    zeros, ones = f"ph.zeros({shape})", f"ph.full({shape}, 1.0)"
    wanted = [
        (["sums"], f"ph.scan(n, {axis}, ph.std.add)", [shape], torch.int32), (["products"], f"ph.scan(n, {axis}, ph.std.multiply)", [shape], torch.int32),
        (["most"], f"ph.scan(x, {axis}, ph.std.maximum)", [shape], torch.float32), (["least"], f"ph.reduce(x, {axis}, ph.std.minimum)", [less], torch.float32),
        (["_", "values"], f"ph.scan((x / 4, x), {axis}, ph.std.affine)", [shape, shape], torch.float32),
        (["greatest", "at"], f"ph.reduce((n, places), {axis}, ph.std.greater_at)", [less, less], torch.int32),
        (["logs"], f"ph.reduce(x * 40, {axis}, ph.std.log_add_exp)", [less], torch.float32),
        (["top", "rest"], f"ph.reduce((x * 40, {ones}), {axis}, ph.std.softmax_parts)", [less, less], torch.float32),
        (["middle", "squares", "count"], f"ph.reduce((x, {zeros}, {ones}), {axis}, ph.std.welford)", [less] * 3, torch.float32),
        (["_m", "_s", "some"], f"ph.reduce((x, {zeros}, ph.where(n > 0, 1.0, 0.0)), {axis}, ph.std.welford)", [less] * 3, torch.float32),
    ]  # fmt: skip
    along = [1] * len(shape)
    along[axis] = -1
    places = torch.arange(shape[axis], dtype=torch.int32).reshape(along).expand(shape).contiguous()
    got = evaluate({"x": x, "n": integers, "places": places}, wanted)
    exact = x.double()
    y, previous = torch.zeros_like(exact), torch.zeros_like(exact.select(axis, 0))
    for i in range(shape[axis]):
        previous = exact.select(axis, i) / 4 * previous + exact.select(axis, i)
        y.select(axis, i).copy_(previous)
    want = {
        "sums": integers.cumsum(axis), "products": integers.cumprod(axis).int(), "most": exact.cummax(axis).values, "least": exact.amin(axis), "values": y,
        "greatest": integers.amax(axis), "logs": (40 * exact).logsumexp(axis), "top": 40 * exact.amax(axis), "middle": exact.mean(axis),
        "rest": (40 * exact - 40 * exact.amax(axis, keepdim=True)).exp().sum(axis), "squares": exact.var(axis, unbiased=False) * shape[axis],
        "count": torch.full(less, float(shape[axis])), "some": (integers > 0).sum(axis),
    }  # fmt: skip
    for name, value in want.items():
        assert torch.allclose(got[name].reshape(value.shape).double(), value.double(), rtol=3e-5, atol=1e-5), name
    first = (integers == integers.amax(axis, keepdim=True)).int().argmax(axis)
    assert torch.equal(got["at"].reshape(first.shape), first.int())


@pytest.mark.parametrize("dtype", ["f32", "f16"])
def test_quantisation(dtype, evaluate, torch):
    kind = dtypes(torch)[dtype]
    x = torch.cat([torch.randn(6, 32) * 5, torch.zeros(1, 32), torch.full((1, 32), 1e-3)]).to(kind)
    wanted = [
        (["scale"], "ph.std.absmax_scale(x)", [(8, 1)], torch.float32), (["q"], "ph.std.quantise_i8(x, scale)", [(8, 32)], torch.int8),
        (["back"], "ph.std.dequantise(q, scale)", [(8, 32)], torch.float32), (["narrow"], "ph.std.dequantise(q, scale, x.dtype)", [(8, 32)], kind),
        (["beyond"], "ph.std.quantise_i8(x, 0.01)", [(8, 32)], torch.int8),
    ]  # fmt: skip
    for short, largest in (("f8e4m3", 448.0), ("f8e5m2", 57344.0)):
        scaled = f"ph.std.absmax_scale(x, {largest}, axis=0)"
        wanted.append(([short], f"ph.std.dequantise(ph.std.quantise_f8(x, {scaled}, ph.{short}), {scaled})", [(8, 32)], torch.float32))
    got = evaluate({"x": x}, wanted)
    exact = x.double()
    scale = (x.float().abs().amax(1, keepdim=True) / 127).double()
    assert torch.equal(got["scale"].double(), scale.float().double())
    whole_steps = (x.float() / got["scale"]).nan_to_num(nan=0).round()
    assert torch.equal(got["q"].float(), whole_steps)
    assert torch.equal(got["back"], got["q"].float() * got["scale"]) and torch.equal(got["narrow"], got["back"].to(kind))
    assert torch.equal(got["beyond"].float(), (x.float() / torch.tensor(0.01)).round().clamp(-128, 127))
    for name, step, bits in (("f8e4m3", 2.0**-10, 3), ("f8e5m2", 2.0**-17, 2)):
        scale = exact.abs().amax(0, keepdim=True) / (448 if bits == 3 else 57344)
        assert ((got[name].double() - exact).abs() <= exact.abs() * 2.0 ** -(bits + 1) * 1.0001 + scale * step).all(), name


def test_example_of_the_page(load_kernels, torch):
    page = ROOT / "docs" / "language.md"
    if not page.exists():
        pytest.skip("the pages are not here")
    (text,) = (block for block in re.findall(r"^```python\n(.*?)^```", page.read_text(), re.S | re.M) if "ph.std.cross_entropy" in block)
    logits, labels = torch.randn(10, 100).half(), (torch.arange(10) * 9).int()
    loss, gradient = torch.zeros(10, device="cuda"), torch.zeros(10, 100, device="cuda", dtype=torch.float16)
    load_kernels(text).train[3](logits.cuda(), labels.cuda(), loss, gradient)
    torch.cuda.synchronize()
    exact = logits.double().requires_grad_()
    want = torch.nn.functional.cross_entropy(exact, labels.long(), reduction="none", label_smoothing=0.1)
    assert torch.allclose(loss.cpu().double(), want, rtol=1e-6)
    assert torch.allclose(gradient.cpu().double(), torch.autograd.grad(want.mean(), exact)[0], rtol=1e-3, atol=1e-7)
