"""The package as Python sees it: importing, the names of phobos.lang, decorators, kernels as objects, compiling without a GPU."""

from __future__ import annotations

import json
import linecache
import os
import pathlib
import pickle
import re
import statistics
import subprocess
import sys
import textwrap

import numpy as np
import phobos
import phobos.lang as ph
import pytest
from conftest import BUILD, ROOT

MAX_IMPORT_MILLISECONDS = 30
# Where the bundle runs there is no source tree; there the headers are in include/.
TABLE = next(p for p in (ROOT / "compiler/include/phobos/Sema/Builtins.def", ROOT / "include/phobos/Sema/Builtins.def") if p.exists())


def run(text: str, **environment: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, env=os.environ | environment
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


# --- importing ----------------------------------------------------------------------------------------------------------


def test_import_is_quick_and_loads_nothing_else():
    text = """
        import sys, time
        start = time.perf_counter()
        import phobos, phobos.lang
        print((time.perf_counter() - start) * 1000)
        loaded = {"torch", "numpy", "cupy", "jax", "phobos._phobos"} & set(sys.modules)
        assert not loaded, loaded
    """
    times = [float(run(text)) for _ in range(5)]
    assert statistics.median(times) < MAX_IMPORT_MILLISECONDS, times


def test_a_module_with_kernels_is_imported_without_the_driver():
    run("""
        import sys
        sys.path.insert(0, "examples/tutorials")
        import t01_vector_add
        maps = open("/proc/self/maps").read()
        assert "libphobos" in maps and "libcuda" not in maps
        assert not {"torch", "numpy"} & set(sys.modules)
    """)


def test_names_of_the_package():
    assert {"CompileError", "LaunchError", "Kernel", "bench", "devices", "use_chip"} <= set(dir(phobos))
    assert phobos.CompileError.__module__ == "phobos"
    assert phobos.cdiv(7, 2) == 4 and phobos.cdiv(8, 2) == 4
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        phobos.nothing  # noqa: B018


# --- phobos.lang --------------------------------------------------------------------------------------------------------


def test_every_name_of_the_table_is_there():
    names = re.findall(r'^PHOBOS_BUILTIN\("([\w.]+)"', TABLE.read_text(), re.M)
    assert len(names) > 100
    for name in names:
        value = ph
        *path, leaf = name.split(".")
        for part in path:
            value = getattr(value, part)
        if path and path[0] == "ctx":
            assert leaf in dir(value), name
        else:
            assert getattr(value, leaf) is not None, name
    dtypes = TABLE.parent.parent / "Support/DTypes.def"
    for name in re.findall(r"^PHOBOS_DTYPE\((\w+)", dtypes.read_text(), re.M):
        assert isinstance(getattr(ph, name.replace("boolean", "bool")), type(ph.f16)), name


def test_built_ins_refuse_to_be_called_by_python():
    with pytest.raises(TypeError, match=r"ph\.dot means something in a kernel only"):
        ph.dot(1, 2)
    with pytest.raises(TypeError, match=r"ph\.f16 means"):
        ph.f16(1.0)
    with pytest.raises(TypeError, match=r"ph\.ctx\.block\.x means"):
        ph.ctx.block.x  # noqa: B018
    with pytest.raises(TypeError, match="softmax is a device function"):
        ph.std.softmax(1)
    with pytest.raises(AttributeError, match="did you mean 'rowsum'"):
        ph.rowsums  # noqa: B018
    assert "acc" in ph.dot.__code__.co_varnames and "product" in ph.dot.__doc__


def test_annotations_tolerate_being_evaluated():
    M = 4
    assert repr(ph.tensor[ph.f16][M, M]) == "ph.tensor"
    assert ph.var[ph.tile[ph.f32][M, M]] is ph.var
    assert repr(ph.bool) == "ph.bool" and ph.bf16.bits == 16
    assert pickle.loads(pickle.dumps(ph.f8e4m3)) is ph.f8e4m3


@pytest.mark.parametrize("name", ["launch", "tensorcore", "aligned", "autotune", "pipeline", "swizzle", "persistent", "dependent", "cluster"])
def test_markers_do_nothing_bare_or_called(name):
    def function():
        pass

    marker = getattr(ph, name)
    assert marker(function) is function
    assert marker(1)(function) is function
    assert marker(M="TILE_M", when="x")(function) is function
    assert marker()(function) is function


def test_device_functions():
    @ph.fn
    def helper(x):
        """Doubles."""
        return x * 2

    assert helper.__name__ == "helper" and helper.__doc__ == "Doubles."
    with pytest.raises(TypeError, match="helper is a device function: it can be called in a kernel only"):
        helper(1)
    with pytest.raises(TypeError, match="expected a function, got int"):
        ph.fn(3)


# --- kernels as objects -------------------------------------------------------------------------------------------------

ADD = """
    @ph.kernel
    @ph.launch(128)
    def add(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N]):
        '''Adds.'''
        start: ph.let = ph.ctx.block.x * 256
        y[start:+256] = x[start:+256] + y[start:+256]
"""


def test_a_kernel_looks_like_its_function(load_kernels):
    add = load_kernels(textwrap.dedent(ADD)).add
    assert isinstance(add, phobos.Kernel)
    assert add.__name__ == "add" and add.__doc__ == "Adds."
    assert repr(add).startswith("<kernel add at ") and add.__wrapped__.__name__ == "add"
    assert add.signature["dims"] == ["N"]
    assert add.signature["parameters"][1] == {"name": "y", "kind": "tensor", "dtype": "f32", "dims": ("N",)}
    with pytest.raises(TypeError, match=r"a kernel is launched with a grid: add\[grid\]"):
        add(1, 2)


def test_compiling_needs_no_gpu(load_kernels):
    add = load_kernels(textwrap.dedent(ADD)).add
    compiled = add.compile(arch="sm_90a")
    assert compiled.chip == "sm_90a" and ".target sm_90a" in compiled.ptx
    assert compiled.cubin[:4] == b"\x7fELF"
    assert compiled.resources.threads == 128 and compiled.resources.registers > 0
    assert compiled.resources.spill_load_bytes == 0
    assert "tile.kernel" in compiled.ir["tile"] and "llvm.func" in compiled.ir["nvvm"]
    assert set(compiled.ir) >= {"ast", "tile", "layout", "dot", "pipelined", "nvvm", "llvm", "ptx"}
    assert compiled.contract["entry"] in compiled.ptx
    assert compiled.timings == {} and add.compile(arch="sm_80", timing=True).timings
    assert add.compile(arch="sm_80", verify=True).ptx == add.compile(arch="sm_80").ptx
    with pytest.raises(phobos.CompileError, match="unknown chip 'sm_999'; expected one of sm_75"):
        add.compile(arch="sm_999")


class Shaped:
    """An array anywhere, for compiling: only its shape is asked."""

    def __init__(self, *shape, typestr="<f4"):
        self.__array_interface__ = {"shape": shape, "typestr": typestr, "data": (4096, False), "strides": None, "version": 3}


def test_compiling_for_arguments(load_kernels):
    add = load_kernels(textwrap.dedent(ADD)).add
    ragged = add.compile(Shaped(1000), Shaped(1000), arch="sm_80")
    whole = add.compile(Shaped(1024), Shaped(1024), arch="sm_80")
    assert ragged.ptx != whole.ptx
    assert whole.ptx == add.compile(x=Shaped(2048), y=Shaped(2048), arch="sm_80").ptx
    with pytest.raises(phobos.LaunchError, match=r"expected extent 8 along axis 0 \(dim `N`\), got 9"):
        add.compile(Shaped(8), Shaped(9))
    with pytest.raises(phobos.LaunchError, match="missing argument `y`"):
        add.compile(Shaped(8))


def test_constants_of_a_compilation(load_kernels):
    text = """
        @ph.kernel
        @ph.autotune(TILE=[64, 128, 4096], when="TILE > 64")
        @ph.aligned(N="TILE")
        def twice(x: ph.tensor[ph.f32][N]):
            start: ph.let = ph.ctx.block.x * TILE
            x[start:+TILE] = x[start:+TILE] * 2.0
    """
    twice = load_kernels(textwrap.dedent(text)).twice
    assert twice.compile(arch="sm_80").constants == {"TILE": 128}
    assert twice.compile(arch="sm_80", TILE=4096).constants == {"TILE": 4096}
    assert twice.compile(Shaped(8192), TILE=4096, arch="sm_80").constants == {"TILE": 4096}
    with pytest.raises(phobos.LaunchError, match=r"a multiple of 4096 \(`TILE`\), got 128"):
        twice.compile(Shaped(128), TILE=4096)
    with pytest.raises(phobos.LaunchError, match="has no argument `TILES`"):
        twice.compile(TILES=4)


def test_const_parameters(load_kernels):
    text = """
        @ph.kernel
        def shift(x: ph.tensor[ph.f32][N], up: ph.const[ph.bool]):
            if up:
                x[0:+128] = x[0:+128] + 1.0
            else:
                x[0:+128] = x[0:+128] - 1.0
    """
    shift = load_kernels(textwrap.dedent(text)).shift
    assert shift.signature["parameters"][1]["kind"] == "const"
    up, down = (shift.compile(arch="sm_80", up=up) for up in (True, False))
    assert up.ptx != down.ptx and up.constants == {"up": True}


def test_what_a_kernel_sees_from_around_it(load_kernels):
    text = """
        BLOCK = 256
        SHAPE = (128, 2.5)
        DTYPE = ph.f32

        def make(factor, UNUSED):
            WIDTH = 8

            @ph.kernel
            def inner(x: ph.tensor[DTYPE][N, WIDTH]):
                start: ph.let = ph.ctx.block.x * BLOCK
                x[start:+BLOCK, 0:+WIDTH] = x[start:+BLOCK, 0:+WIDTH] * factor

            return inner
    """
    module = load_kernels(textwrap.dedent(text))
    two, three = module.make(2.0, object()), module.make(3.0, None)
    assert set(two.signature["captures"]) >= {"BLOCK", "factor"}
    assert two.compile(arch="sm_80").ptx != three.compile(arch="sm_80").ptx
    before = two.compile(arch="sm_80").ptx
    module.BLOCK = 128
    assert two.compile(arch="sm_80").ptx != before
    module.BLOCK = {"a": 1}
    with pytest.raises(phobos.CompileError) as caught:
        two.compile(arch="sm_80")
    assert "`BLOCK` is a value of type dict; a kernel sees int, float, bool, dtype and tuples of them" in str(caught.value)
    module.BLOCK = 256
    assert two.compile(arch="sm_80").ptx == before


def test_a_signature_of_what_is_around(load_kernels):
    text = """
        E = ph.f32
        WIDTH = 64

        def make(T, ROWS):
            @ph.kernel
            @ph.launch(32)
            def fill(x: ph.tensor[T][ROWS, N], value: T):
                x[0, 0:+32] = value

            return fill

        @ph.kernel
        def zero(x: ph.tensor[E][WIDTH]):
            x[0:+32] = 0.0
    """
    module = load_kernels(textwrap.dedent(text))
    with phobos.target("host"):
        for T, dtype, rows in ((ph.f16, np.float16, 1), (ph.f32, np.float32, 2), (ph.i32, np.int32, 2)):
            fill, x = module.make(T, rows), np.zeros((rows, 40), dtype)
            fill[1](x, 3)
            assert x.sum() == 96
            assert fill.signature["parameters"][0] == {"name": "x", "kind": "tensor", "dtype": T.name, "dims": (rows, "N")}
        with pytest.raises(phobos.LaunchError, match="expected dtype i32, got f32"):
            fill[1](np.zeros((2, 40), np.float32), 3)
        with pytest.raises(phobos.LaunchError, match=r"expected an int \(i32\), got the float 3.5"):
            fill[1](x, 3.5)
        with pytest.raises(phobos.CompileError, match="expected a dtype to be constant"):
            module.make(object(), 1)[1](x, 3)

        module.zero[1](np.zeros(64, np.float32))
        module.E, module.WIDTH = ph.f16, 128
        with pytest.raises(phobos.LaunchError, match="expected dtype f16, got f32"):
            module.zero[1](np.zeros(128, np.float32))
        with pytest.raises(phobos.LaunchError, match="expected extent 128 along axis 0, got 64"):
            module.zero[1](np.zeros(64, np.float16))
        module.zero[1](np.zeros(128, np.float16))


def test_modules_around_a_kernel(load_kernels):
    text = """
        import math
        PI = math.pi

        @ph.kernel
        def fine(x: ph.tensor[ph.f32][N]):
            x[0:+128] = x[0:+128] * PI

        @ph.kernel
        def attribute(x: ph.tensor[ph.f32][N]):
            x[0:+128] = x[0:+128] * math.pi

        @ph.kernel
        def call(x: ph.tensor[ph.f32][N]):
            x[0:+128] = math.exp(x[0:+128])

        def helper(v):
            return v * 2.0

        @ph.kernel
        def ordinary(x: ph.tensor[ph.f32][N]):
            x[0:+128] = helper(x[0:+128])
    """
    module = load_kernels(textwrap.dedent(text))
    assert module.fine.compile(arch="sm_80").cubin  # its value is Python's, whatever the text says of it
    for kernel, wanted in (
        (module.attribute, ("`math` is imported; a kernel sees device functions of other files", "assignment at the top of the file")),
        (module.call, ("`math` is imported", "hint: write `ph.exp`")),
        (module.ordinary, ("`helper` is an ordinary function", "hint: put `@ph.fn` above it")),
    ):
        with pytest.raises(phobos.CompileError) as caught:
            kernel.compile(arch="sm_80")
        assert all(part in str(caught.value) for part in wanted), caught.value


def test_device_functions_of_the_same_file(load_kernels):
    text = """
        @ph.fn
        def double(v):
            return v * 2.0

        @ph.kernel
        def twice(x: ph.tensor[ph.f32][N]):
            x[0:+128] = double(x[0:+128])
    """
    assert load_kernels(textwrap.dedent(text)).twice.compile(arch="sm_80").cubin


def test_two_kernels_of_one_name(load_kernels):
    text = """
        def make(first):
            if first:
                @ph.kernel
                def same(x: ph.tensor[ph.f32][N]):
                    x[0:+128] = x[0:+128] + 1.0
            else:
                @ph.kernel
                def same(x: ph.tensor[ph.f16][N]):
                    x[0:+128] = x[0:+128] + 1.0
            return same
    """
    make = load_kernels(textwrap.dedent(text)).make
    assert [make(first).signature["parameters"][0]["dtype"] for first in (True, False)] == ["f32", "f16"]


# --- errors -------------------------------------------------------------------------------------------------------------


def test_compile_errors_have_phobosc_s_text(load_kernels, phobosc):
    text = """
        @ph.kernel
        def wrong(x: ph.tensor[ph.f32][N]):
            x[0:+128] = missing(x[0:+128])
    """
    module = load_kernels(textwrap.dedent(text))
    with pytest.raises(phobos.CompileError) as caught:
        module.wrong.compile(arch="sm_80")
    message = str(caught.value)
    assert f"{module.__file__}:8:" in message and "missing" in message and "^" in message
    printed = subprocess.run([phobosc, module.__file__, "--arch", "sm_80"], capture_output=True, text=True)
    assert printed.returncode != 0
    assert message.strip() in printed.stderr


def test_kernel_must_be_outermost(load_kernels):
    text = """
        @ph.launch(128)
        @ph.kernel
        def wrong(x: ph.tensor[ph.f32][N]):
            pass
    """
    with pytest.raises(phobos.CompileError, match="`@ph.launch` stands above `@ph.kernel`, which must be outermost"):
        load_kernels(textwrap.dedent(text))
    with pytest.raises(TypeError, match="@ph.kernel: expected a function, got int"):
        ph.kernel(3)


def execute(text: str, filename: str) -> dict:
    code = "from __future__ import annotations\nimport phobos.lang as ph\n" + textwrap.dedent(text)
    names: dict = {"__name__": "made_up"}
    exec(compile(code, filename, "exec"), names)
    return names


def test_source_that_cannot_be_read():
    kernel = execute(ADD, "<made up>")["add"]
    with pytest.raises(phobos.CompileError, match="<made up>:4: error: the source of kernel `add` cannot be read"):
        kernel.compile(arch="sm_80")


def test_source_of_notebook_cells():
    # Notebooks register each cell with linecache under a name of its own.
    name = "<cell 7>"
    text = "from __future__ import annotations\nimport phobos.lang as ph\n" + textwrap.dedent(ADD)
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    kernel = execute(ADD, name)["add"]
    assert kernel.compile(arch="sm_80").cubin
    assert repr(kernel) == "<kernel add at <cell 7>:4>"


def test_source_is_that_of_the_import(load_kernels):
    module = load_kernels(textwrap.dedent(ADD))
    before = module.add.compile(arch="sm_80").ptx
    pathlib.Path(module.__file__).write_text("# something else\n")
    again = load_kernels(textwrap.dedent(ADD)).add
    assert module.add.compile(arch="sm_80").ptx == before == again.compile(arch="sm_80").ptx


def test_without_a_driver_a_launch_says_so():
    text = """
        import sys
        sys.path.insert(0, "examples/tutorials")
        import phobos
        from t01_vector_add import add
        class Array:
            __cuda_array_interface__ = {"shape": (8,), "typestr": "<f4", "data": (4096, False), "version": 3}
        assert phobos.devices() == []
        try:
            add[1](Array(), Array(), Array())
        except phobos.LaunchError as error:
            print(error)
    """
    if "libcuda.so.1" in subprocess.run(["ldconfig", "-p"], capture_output=True, text=True).stdout:
        pytest.skip("this machine has a CUDA driver")
    printed = run(text, LD_LIBRARY_PATH="", PHOBOS_TARGET="cuda")
    assert printed.startswith("error: no GPU to launch on: the CUDA driver could not be opened: libcuda.so.1")
    assert 'hint: `kernel.compile(arch="sm_80")` compiles without one; phobos.target("host") runs on the simulator' in printed
    printed = run(text, LD_LIBRARY_PATH="")
    assert "expected an array in this machine's memory, got one on cuda:0" in printed
    assert "hint: kernels run on the host simulator, since there is no GPU: the CUDA driver could not be opened" in printed


# --- the command line ---------------------------------------------------------------------------------------------------


def test_python_m_phobos_is_phobosc():
    command = [sys.executable, "-m", "phobos", "examples/tutorials/t01_vector_add.py", "--emit", "contract"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["kernel"]["name"] == "add"


def test_the_module_is_found_beside_the_package():
    import phobos._phobos as native

    assert pathlib.Path(native.__file__).parent == BUILD / "python" / "phobos" or BUILD not in pathlib.Path(native.__file__).parents
    assert native.build_id() and "sm_90a" in native.supported_chips()


DEFAULTS = """
    FACTOR = 3.0

    @ph.kernel
    @ph.launch(32)
    def scaled(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N], by: ph.f32 = 2 * FACTOR, shift: ph.i32 = -1, *, double: ph.const[bool] = False):
        z = x[0:+32] * by + ph.f32(shift)
        y[0:+32] = z * 2 if double else z
"""


def test_default_values(load_kernels, phobosc, tmp_path):
    """Python's own, as they were when it came to the kernel; the compiler alone reads those of constants from the text."""
    kernel = load_kernels(textwrap.dedent(DEFAULTS)).scaled
    x = np.arange(32, dtype=np.float32)

    def run(*args, **kwargs):
        y = np.zeros_like(x)
        with phobos.target("host"):
            kernel[1](x, y, *args, **kwargs)
        return y

    assert np.array_equal(run(), 6 * x - 1)
    assert np.array_equal(run(0.5), 0.5 * x - 1)
    assert np.array_equal(run(shift=4), 6 * x + 4)
    assert np.array_equal(run(1.0, 0, double=True), 2 * x)
    assert [d.from_disk for d in kernel.cache] and len(kernel.cache) == 2, "a default is no other variant than its value given"
    assert kernel.compile(arch="sm_80").constants["double"] is False
    assert kernel.compile(x, x, arch="sm_80").cubin and kernel.compile(arch="sm_80", double=True).constants["double"] is True
    with pytest.raises(phobos.LaunchError, match="argument `y`"):
        kernel[1](x)
    with pytest.raises(phobos.LaunchError, match="argument `by`: expected a number"):
        run("2")
    source = tmp_path / "kernel.py"
    source.write_text("from __future__ import annotations\nimport phobos.lang as ph\n" + textwrap.dedent(DEFAULTS))
    assert subprocess.run([phobosc, str(source), "--emit", "ptx", "-o", str(tmp_path / "a.ptx")], check=False).returncode == 0
