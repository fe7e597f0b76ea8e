"""Launches that are refused: the whole text, which names the argument, shows it in the kernel and says what was expected."""

from __future__ import annotations

ADD = "def add(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N], z: ph.tensor[ph.f32][N]):"
SCALE = "def scale(x: ph.tensor[ph.f32][N], alpha: ph.f32, shift: ph.i32):"
PROMISED = "def promised(x: ph.tensor[ph.f32][M, 8]):"


def place(line: str, name: str, kind: str, message: str) -> str:
    """One diagnostic at parameter (or kernel) `name` of a kernel of driver/kernels.py."""
    numbers = {ADD: 12, SCALE: 18, PROMISED: 32}
    column = line.index(f"{name}:" if f"{name}:" in line else name)
    underline = "^" + "~" * (len(name) - 1)
    return f"FILE:{numbers[line]}:{column + 1}: {kind}: {message}\n    {line}\n    {' ' * column}{underline}\n"


def said(program, call: str) -> str:
    """The text of the LaunchError that `call` raises; `a`, `b`, `c` are right arrays for `add`."""
    return program(f"""
        import numpy as np
        driver.fake_devices(2)
        a, b, c = (Exchange(1000) for _ in range(3))
        add, scale, promised = kernels.add, kernels.scale, kernels.promised
        text = raises(phobos.LaunchError, lambda: {call})
        print(text.replace(kernels.__file__, "FILE"), end="")
        assert launches() == []
    """)


def test_dtype(program):
    want = place(ADD, "y", "error", "argument `y`: expected dtype f32, got i32")
    assert said(program, 'add[1](a, Exchange(1000, typestr="<i4"), c)') == want


def test_rank(program):
    want = place(ADD, "y", "error", "argument `y`: expected rank 1 [N], got rank 2 with shape (10, 100)")
    assert said(program, "add[1](a, Exchange(10, 100), c)") == want


def test_host_memory(program):
    want = place(ADD, "y", "error", "argument `y`: expected an array on a CUDA device, got one on the CPU")
    want += 'hint: phobos.target("host") runs kernels on the simulator, on such arrays\n'
    assert said(program, "add[1](a, np.zeros(1000, np.float32), c)") == want


def test_two_devices(program):
    want = place(ADD, "y", "error", "argument `y`: expected an array on cuda:0, got one on cuda:1")
    want += place(ADD, "x", "note", "argument `x` is on cuda:0")
    assert said(program, "add[1](a, Exchange(1000, device=1), c)") == want


def test_dims_that_disagree(program):
    want = place(ADD, "z", "error", "argument `z`: expected extent 1000 along axis 0 (dim `N`), got 999")
    want += place(ADD, "x", "note", "dim `N` is 1000 along axis 0 of argument `x`")
    assert said(program, "add[1](a, b, Exchange(999))") == want


def test_an_extent_of_the_signature(program):
    want = place(PROMISED, "x", "error", "argument `x`: expected extent 8 along axis 1, got 9")
    assert said(program, "promised[1](Exchange(64, 9))") == want


def test_a_broken_promise(program):
    want = place(PROMISED, "x", "error", "argument `x`: expected dim `M` to be a multiple of 64, got 100")
    want += "note: `@ph.aligned` promises it, and the kernel has no masks along it\n"
    want += "hint: pad the array, or leave `M` out of `@ph.aligned`\n"
    assert said(program, "promised[2](Exchange(100, 8))") == want


def test_grids_past_the_limits(program):
    hint = "hint: put the longest axis of the grid first: x takes 2147483647\n"
    message = "grid of kernel `add`: expected 0 to {} blocks along {}, got {}"
    for grid, most, axis, got in (("1, 65536", 65535, "y", 65536), ("1, 1, 70000", 65535, "z", 70000)):
        assert said(program, f"add[{grid}](a, b, c)") == place(ADD, "add", "error", message.format(most, axis, got)) + hint
    for grid, axis, got in (("2**31", "x", 2**31), ("-1", "x", -1)):
        assert said(program, f"add[{grid}](a, b, c)") == place(ADD, "add", "error", message.format(2**31 - 1, axis, got))


def test_the_limits_themselves_are_launched(program):
    program("""
        a, b, c = (Exchange(1000) for _ in range(3))
        for grid in ((1, 65535), (1, 1, 65535), (2**31 - 1,)):
            kernels.add[grid](a, b, c)
            assert last().grid == (*grid, 1, 1)[:3]
    """)


def test_arguments_that_are_no_arrays(program):
    for value, got in (("[1.0]", "a value of type list"), ("None", "a value of type NoneType"), ("3", "an int")):
        want = place(ADD, "y", "error", f"argument `y`: expected an array of f32, got {got}")
        assert said(program, f"add[1](a, {value}, c)") == want


def test_strides_below_zero(program):
    want = place(ADD, "y", "error", "argument `y`: expected strides of at least 0, got -1 along axis 0")
    want += "hint: pass a contiguous copy\n"
    assert said(program, "add[1](a, Interface(1000, strides=(-4,)), c)") == want


def test_scalars(program):
    for value, message in (
        ("2.5", "expected an int (i32), got the float 2.5"),
        ("2**40", "expected an int that fits i32 (-2147483648 to 2147483647), got 1099511627776"),
        ("'a'", "expected a number (i32), got a value of type str"),
    ):
        want = place(SCALE, "shift", "error", f"argument `shift`: {message}")
        assert said(program, f"scale[1](a, 1.0, {value})") == want


def test_the_wrong_number_of_arguments(program):
    want = place(ADD, "z", "error", "missing argument `z` of kernel `add`")
    assert said(program, "add[1](a, b)") == want
    want = place(ADD, "add", "error", "kernel `add` takes 3 arguments, got 4")
    assert said(program, "add[1](a, b, c, a)") == want
    want = place(ADD, "y", "error", "argument `y` is given twice")
    assert said(program, "add[1](a, b, c, y=b)") == want
    want = place(ADD, "add", "error", "kernel `add` has no argument `w`") + "hint: it takes x, y, z, stream\n"
    assert said(program, "add[1](a, b, w=c)") == want
