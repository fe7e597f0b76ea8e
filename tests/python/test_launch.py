"""The whole launch path on a driver that writes down what it is asked (driver/fake_cuda.cpp): parameters, grids, streams,
captured values, caches, tuning, threads. Each test is a program of its own, since a process has one driver."""

from __future__ import annotations


def test_parameters_follow_the_contract(program):
    program("""
        sizes(kernels.add.compile(arch="sm_80").contract)
        a, b, c = (Exchange(1000) for _ in range(3))
        kernels.add[7](a, b, c)
        (launch,) = launches()
        assert launch.grid == (7, 1, 1) and launch.threads == 256
        assert launch.parameters[:3] == [a.address, b.address, c.address]
        assert 1000 in launch.parameters[3:]
        kernels.add[1](c, a, b)     # warm: other addresses, the same plan
        assert launches()[1].parameters[:3] == [c.address, a.address, b.address]
        kernels.add[1](z=c, x=a, y=b)
        assert launches()[2].parameters[:3] == [a.address, b.address, c.address]
        assert driver.fake_loads() == 1
    """)


def test_scalars_are_packed_and_select_nothing(program):
    program("""
        import struct
        contract = kernels.scale.compile(arch="sm_80").contract
        sizes(contract)
        kinds = [p["kind"] for p in contract["parameters"]]
        x = Exchange(512)
        for alpha, shift in ((2.5, -3), (7, 4), (True, 5)):
            kernels.scale[2](x, alpha, shift)
            values = [last().parameters[i] for i, kind in enumerate(kinds) if kind == "scalar"]
            assert values[0] == struct.unpack("I", struct.pack("f", float(alpha)))[0]
            assert values[1] == shift & 0xFFFFFFFF
        assert driver.fake_loads() == 1
        text = raises(phobos.LaunchError, lambda: kernels.scale[2](x, 1.0, 2.5))
        assert "argument `shift`: expected an int (i32), got the float 2.5" in text
        text = raises(phobos.LaunchError, lambda: kernels.scale[2](x, "a", 2))
        assert "argument `alpha`: expected a number (f32), got a value of type str" in text
    """)


def test_grids(program):
    program("""
        a, b, c = (Exchange(5000) for _ in range(3))
        def grid_of(grid):
            kernels.add[grid](a, b, c)
            return last().grid
        assert grid_of(3) == (3, 1, 1)
        assert grid_of((3, 2)) == (3, 2, 1)
        assert grid_of((3, 2, 4)) == (3, 2, 4)
        assert grid_of(lambda meta: meta["N"] // 1000) == (5, 1, 1)
        assert grid_of(lambda meta: (1, meta["N"] // 1000)) == (1, 5, 1)
        assert grid_of(lambda meta: [2, 3]) == (2, 3, 1)
        before = len(launches())
        kernels.add[0](a, b, c)
        kernels.add[lambda meta: (4, 0)](a, b, c)
        assert len(launches()) == before
        for bad in ("x", 1.5, (), (1, 2, 3, 4), (1, "x")):
            assert "grid: expected" in raises(TypeError, lambda: kernels.add[bad](a, b, c))
        assert "grid: expected" in raises(TypeError, lambda: kernels.add[lambda meta: None](a, b, c))
        assert raises(KeyError, lambda: kernels.add[lambda meta: meta["Q"]](a, b, c)) == "'Q'"
        text = raises(phobos.LaunchError, lambda: kernels.add[1, 70000](a, b, c))
        assert "grid of kernel `add`: expected 0 to 65535 blocks along y, got 70000" in text
        raises(phobos.LaunchError, lambda: kernels.add[2 ** 70](a, b, c))
        held = kernels.add[5]
        kernels.add[6](a, b, c)
        held(a, b, c)
        assert last().grid == (5, 1, 1) and held.grid == 5
    """)


def test_a_persistent_kernel_gets_its_grid_and_the_ctas_that_fit(program):
    program("""
        contract = kernels.walk.compile(arch="sm_80").contract
        sizes(contract)
        where = [i for i, p in enumerate(contract["parameters"]) if p["kind"] == "grid"]
        assert contract["persistent"] and len(where) == 3
        x, y = Exchange(100_000_000), Exchange(100_000_000)
        residents = 108 * (2048 // 256)    # the driver's multiprocessors, and what it says of each
        for grid, launched in ((5, 5), ((40, 30), residents), ((3, 2, 2), 12)):
            kernels.walk[grid](x, y)
            asked = (*grid, 1, 1)[:3] if isinstance(grid, tuple) else (grid, 1, 1)
            assert last().grid == (launched, 1, 1)
            assert tuple(last().parameters[i] for i in where) == asked
        before = len(launches())
        kernels.walk[0](x, y)
        assert len(launches()) == before
        text = raises(phobos.LaunchError, lambda: kernels.walk[65535, 65535](x, y))
        assert "grid of persistent kernel `walk`: expected at most 2147482783 blocks in all" in text
    """)


def test_a_dependent_kernel_says_so_to_the_driver(program):
    """On a chip that has such launches; others are launched as ever."""
    text = """
        x, y, z = (Exchange(1000) for _ in range(3))
        sizes(kernels.beside.compile(x).contract)
        for _ in range(2):
            kernels.beside[3](x)
            print(driver.fake_dependent(driver.fake_count() - 1), last().grid, last().threads, last().parameters[0] == x.address)
        kernels.add[1](x, y, z)
        print(driver.fake_dependent(driver.fake_count() - 1))
        driver.fake_fail(700)
        print(raises(phobos.LaunchError, lambda: kernels.beside[3](x)).splitlines()[0])
    """
    for chip, dependent, function in (("sm_90a", 1, "cuLaunchKernelEx"), ("sm_80", 0, "cuLaunchKernel")):
        lines = program(text, PHOBOS_ARCH=chip).splitlines()
        assert lines[:3] == [f"{dependent} (3, 1, 1) 256 True"] * 2 + ["0"]
        assert f"launch of kernel `beside` failed: {function}: CUDA_ERROR_ILLEGAL_ADDRESS" in lines[3]


def test_a_queue_is_its_stream_s(program):
    """The address of a counter: one for each stream, and one for each recorded launch, cleared when it is made."""
    program("""
        import ctypes
        contract = kernels.draw.compile(arch="sm_80").contract
        sizes(contract)
        (where,) = [i for i, p in enumerate(contract["parameters"]) if p["kind"] == "counters"]
        x = Exchange(100_000)

        def counter(stream, recording=0):
            driver.fake_set_stream(stream)
            driver.fake_capturing(recording)
            kernels.draw[300](x)
            return last().parameters[where]

        streams = [0x51, 0x52, 0x53]
        first = [counter(stream) for stream in streams]
        assert len(set(first)) == 3 and all(address % 32 == 0 for address in first)
        assert all(ctypes.c_uint32.from_address(address).value == 0 for address in first)
        assert [counter(stream) for stream in streams] == first
        recorded = [counter(0x51, 7), counter(0x52, 7), counter(0x51, 8)]
        assert len({*first, *recorded}) == 6
        recorded += [counter(0x51, 7), counter(0x52, 7)]
        assert len({*first, *recorded}) == 8 and counter(0x51) == first[0]
        assert last().grid == (300, 1, 1) and driver.fake_loads() == 1
        many = [counter(0x1000 + i) for i in range(600)]    # more than one piece of memory has
        assert len({*many, *first, *recorded}) == 608
    """)


def test_rules_are_called_once_for_what_they_depend_on(program):
    program("""
        a, b, c = (Exchange(4096) for _ in range(3))
        calls = []

        def launch_with(rule):
            kernels.add[rule](a, b, c)
            return last().grid[0]

        # A probe of how often a rule runs: dict subclasses are not needed, a profile function sees the calls.
        def count(function, times):
            seen = []
            def profile(frame, event, arg):
                if event == "call" and frame.f_code.co_name == "<lambda>" and "meta" in frame.f_code.co_varnames:
                    seen.append(1)
            sys.setprofile(profile)
            try:
                for _ in range(times):
                    function()
            finally:
                sys.setprofile(None)
            return len(seen)

        assert count(lambda: launch_with(lambda meta: meta["N"] // 1024), 10) == 1
        block = 1024
        assert count(lambda: launch_with(lambda meta: phobos.cdiv(meta["N"], block)), 10) == 1

        # What it depends on changed: a global, a closure variable, a function's own global, a default.
        SCALE = 1
        rule = lambda meta: meta["N"] // 1024 * SCALE
        assert launch_with(rule) == 4
        SCALE = 2
        assert launch_with(rule) == 8
        def closed(n):
            return lambda meta: n
        assert [launch_with(closed(n)) for n in (3, 5, 3)] == [3, 5, 3]
        assert [launch_with(lambda meta, n=n: n) for n in (3, 5)] == [3, 5]
        def helper(n):
            return n * SCALE
        def through(meta):
            return helper(2)
        assert launch_with(through) == 4
        SCALE = 10
        assert launch_with(through) == 20
        items = [1]
        mutable = lambda meta: len(items)
        assert launch_with(mutable) == 1
        items.append(2)
        assert launch_with(mutable) == 2
        class Settings:
            blocks = 7
        by_class = lambda meta: Settings.blocks
        assert launch_with(by_class) == 7
        Settings.blocks = 9
        assert launch_with(by_class) == 9
        kernels.EXTRA = 6
        by_module = lambda meta: kernels.EXTRA
        assert launch_with(by_module) == 6
        kernels.EXTRA = 11
        assert launch_with(by_module) == 11
        nested = lambda meta: sum(SCALE for _ in range(2))
        assert launch_with(nested) == 20
        SCALE = 1
        assert launch_with(nested) == 2
        # Other shapes are asked again.
        longer = [Exchange(8192) for _ in range(3)]
        kernels.add[rule](*longer)
        assert last().grid[0] == 8
    """)


def test_many_rules_do_not_fill_memory_and_stay_right(program):
    program("""
        a, b, c = (Exchange(4096) for _ in range(3))
        for n in list(range(1, 5000)) * 2:
            rule = eval(f"lambda meta: {n}")
            kernels.add[rule](a, b, c)
            assert last().grid[0] == n
    """)


def test_streams(program):
    program("""
        a, b, c = (Exchange(1000) for _ in range(3))
        kernels.add[1](a, b, c)
        assert last().stream == 0x51           # the array library's current stream
        driver.fake_set_stream(0x99)
        kernels.add[1](a, b, c)
        assert last().stream == 0x99
        class Torch:
            cuda_stream = 0x123
        class Cupy:
            ptr = 0x124
        class Protocol:
            def __cuda_stream__(self):
                return (0, 0x125)
        for stream, want in ((0x77, 0x77), (Torch(), 0x123), (Cupy(), 0x124), (Protocol(), 0x125), (None, 0x99), (0, 0)):
            kernels.add[1](a, b, c, stream=stream)
            assert last().stream == want
        assert "stream: expected an int" in raises(TypeError, lambda: kernels.add[1](a, b, c, stream="x"))
        i, j, k = (Interface(1000, stream=0x31) for _ in range(3))
        kernels.add[1](i, j, k)
        assert last().stream == 0x31
        kernels.add[1](*(Interface(1000) for _ in range(3)))
        assert last().stream == 0
    """)


def test_captured_values_are_never_stale(program):
    program("""
        a, b, c = (Exchange(4096) for _ in range(3))
        def launch():
            kernels.add[1](a, b, c)
            return driver.fake_loads()
        assert launch() == 1
        kernels.BLOCK = 512
        assert launch() == 2
        kernels.BLOCK = 1024
        assert launch() == 2                     # compiled before
        kernels.BLOCK = int("1024")              # an equal number that is another object
        assert launch() == 2
        kernels.BLOCK = [1024]
        text = raises(phobos.CompileError, launch)
        assert "`BLOCK` is a value of type list; a kernel sees int, float, bool, dtype and tuples of them" in text, text
        assert "def add(" in text
        kernels.BLOCK = 1024
        assert launch() == 2

        inner, change = kernels.make(2.0)
        x = Exchange(256)
        inner[2](x)
        assert driver.fake_loads() == 3
        change(3.0)
        inner[2](x)
        assert driver.fake_loads() == 4
        change(2.0)
        inner[2](x)
        assert driver.fake_loads() == 4
        other, _ = kernels.make(5.0)
        other[2](x)
        assert driver.fake_loads() == 5
    """)


def test_calls_that_do_not_match(program):
    program("""
        a, b, c = (Exchange(1000) for _ in range(3))
        add = kernels.add
        def text(call):
            return raises(phobos.LaunchError, call)
        assert "kernel `add` takes 3 arguments, got 4" in text(lambda: add[1](a, b, c, c))
        assert "missing argument `z` of kernel `add`" in text(lambda: add[1](a, b))
        assert "argument `y` is given twice" in text(lambda: add[1](a, b, c, y=b))
        wrong = text(lambda: add[1](a, b, w=c))
        assert "kernel `add` has no argument `w`" in wrong and "hint: it takes x, y, z, stream" in wrong
        assert "argument `y`: expected an array of f32, got a value of type list" in text(lambda: add[1](a, [1.0], c))
        assert "argument `y`: expected dtype f32, got i32" in text(lambda: add[1](a, Exchange(1000, typestr="<i4"), c))
        assert "expected an array on cuda:0, got one on cuda:1" in text(lambda: add[1](a, Exchange(1000, device=1), c))
        assert "expected rank 1 [N], got rank 2 with shape (10, 100)" in text(lambda: add[1](a, Exchange(10, 100), c))
        assert "launched with a grid: add[grid]" in raises(TypeError, lambda: add(a, b, c))
        broken = text(lambda: kernels.promised[2](Exchange(100, 8)))
        assert "expected dim `M` to be a multiple of 64, got 100" in broken and "`@ph.aligned` promises it" in broken
        assert launches() == []
        driver.fake_fail(700)
        failed = text(lambda: add[1](a, b, c))
        assert "launch of kernel `add` failed: cuLaunchKernel: CUDA_ERROR_ILLEGAL_ADDRESS" in failed
        assert "kernels.py" in failed and "def add(" in failed
    """)


def test_a_failed_assertion_is_told_with_the_kernels_that_can_have_failed(program):
    program("""
        x, y, z = Exchange(1000), Exchange(1000), Exchange(1000)

        def told():
            driver.fake_fail(710)
            text = raises(phobos.LaunchError, lambda: kernels.add[1](x, y, z))
            driver.fake_fail(0)
            assert "launch of kernel `add` failed: cuLaunchKernel: CUDA_ERROR_ASSERT (made up)" in text
            lines = text.splitlines()
            assert lines[1].strip().startswith("def add(") and lines[3].startswith("note: ") and lines[4].startswith("hint: ")
            return text

        kernels.checked[1](x)
        assert "an assertion failed in a kernel launched before; its message is on standard error" in told()
        with phobos.debug(True):
            kernels.checked[1](x)
            kernels.add[1](x, y, z)
            text = told()
            assert "an assertion failed in kernel `checked` (" in text and "kernels.py:67); its message" in text
            kernels.checked_too[1](x, 1)
            kernels.checked_too[1](x, 1)
            text = told()
            assert text.index("`checked_too` (") < text.index(" or kernel `checked` (")
    """)


def test_the_environment_makes_room_for_what_is_printed(program):
    text = """
        import ctypes
        driver.fake_print_buffer.restype = ctypes.c_uint64
        kernels.scale[1](Exchange(8), 1.0, 2)
        print(driver.fake_print_buffer())
    """
    assert program(text).strip() == "0"
    assert program(text, PHOBOS_PRINT_BUFFER="16M").strip() == str(16 << 20)
    program("""
        text = raises(phobos.LaunchError, lambda: kernels.scale[1](Exchange(8), 1.0, 2))
        assert "PHOBOS_PRINT_BUFFER is 'much'; expected a number of bytes, or one with K, M or G" in text
    """, PHOBOS_PRINT_BUFFER="much")  # fmt: skip


def test_assertions_are_part_of_what_is_kept_on_disk(program):
    text = """
        kernels.checked[1](Exchange(1000))
        print([variant.from_disk for variant in kernels.checked.cache])
    """
    assert program(text, PHOBOS_DEBUG="1").strip() == "[False]"
    assert program(text, PHOBOS_DEBUG="0").strip() == "[False]"
    for debug in ("1", "0"):
        assert program(text, PHOBOS_DEBUG=debug).strip() == "[True]"
    assert program("""
        kernels.checked[1](Exchange(1000))
        driver.fake_fail(710)
        text = raises(phobos.LaunchError, lambda: kernels.add[1](Exchange(8), Exchange(8), Exchange(8)))
        print("in kernel `checked`" in text)
    """, PHOBOS_DEBUG="1").strip() == "True"  # fmt: skip


def test_numpy_arrays_and_scalars(program):
    program("""
        import numpy as np
        x = Exchange(512)
        text = raises(phobos.LaunchError, lambda: kernels.scale[1](np.zeros(512, np.float32), 1.0, 2))
        assert "argument `x`: expected an array on a CUDA device, got one on the CPU" in text
        kernels.scale[1](x, np.float32(2.0), np.int64(3))
        kernels.scale[1](x, np.float64(2.0), np.uint8(3))
        text = raises(phobos.LaunchError, lambda: kernels.scale[1](x, 1.0, np.float32(3)))
        assert "expected an int (i32), got the float 3" in text
        text = raises(phobos.LaunchError, lambda: kernels.scale[1](x, np.zeros(()), 3))
        assert "argument `alpha`: expected a number (f32), got an array" in text
    """)


def test_empty_arrays_launch_nothing(program):
    program("""
        empty = [Exchange(0) for _ in range(3)]
        kernels.add[lambda meta: phobos.cdiv(meta["N"], 1024)](*empty)
        kernels.add[4](*empty)
        kernels.matrix[1](Exchange(0, 16, typestr="<f2"))
        assert launches() == []
        # Where some array has elements, the kernel may have something to write there.
        kernels.product[1](Exchange(16, 0), Exchange(0, 16), Exchange(16, 16))
        assert len(launches()) == 1
    """)


def test_tuning(program):
    program("""
        x = Exchange(1024)
        grid = lambda meta: meta["N"] // meta["TILE"]
        kernels.tuned[grid](x)
        assert kernels.tuned.best(x) == {"TILE": 256}      # the fake driver's time is the number of blocks
        assert driver.fake_live() == 0                     # copies of the arrays were given back
        assert driver.fake_overtaken() == 0                # and waited for, before and after
        count = len(launches())
        kernels.tuned[grid](x)
        assert len(launches()) == count + 1
        assert {v.constants["TILE"] for v in kernels.tuned.cache} == {64, 128, 256}
        assert last().grid == (4, 1, 1)
        kernels.tuned[grid](x, TILE=64)                    # fixed by the caller
        assert last().grid == (16, 1, 1)
        kernels.tuned[grid](x)
        assert last().grid == (4, 1, 1)
        y = Exchange(2048)
        assert kernels.tuned.best(y) == {"TILE": 256}      # with the grid of the last launch
        kernels.tuned.clear()
        assert kernels.tuned.cache == []
        driver.fake_capturing(1)
        text = raises(phobos.LaunchError, lambda: kernels.tuned[grid](x))
        assert "is not tuned for these arguments, and its stream is recording a graph" in text
        assert raises(KeyError, lambda: (driver.fake_capturing(0), kernels.tuned[lambda meta: meta["Q"]](x))) == "'Q'"
    """)


def test_tuning_needs_a_grid(program):
    program("""
        x = Exchange(1024)
        text = raises(phobos.LaunchError, lambda: kernels.tuned.best(x))
        assert "kernel `tuned` is not tuned for these arguments" in text and "grid=" in text
        assert kernels.tuned.best(x, grid=lambda meta: meta["N"] // meta["TILE"]) == {"TILE": 256}
        assert kernels.tuned.best(x, TILE=64) == {"TILE": 64}
    """)


def test_a_second_process_compiles_nothing(program, tmp_path):
    text = """
        x = [Exchange(1000) for _ in range(3)]
        kernels.add[1](*x)
        print([v.from_disk for v in kernels.add.cache])
    """
    assert program(text) == "[False]\n"
    assert program(text) == "[True]\n"
    assert program(text, PHOBOS_CACHE="0") == "[False]\n"
    (entry,) = (tmp_path / "cache" / "kernels").iterdir()
    whole = entry.read_bytes()
    entry.write_bytes(whole[: len(whole) // 2])
    assert program(text) == "[False]\n"
    assert entry.read_bytes() == whole, "the damaged entry was replaced"
    assert program(text, PHOBOS_ARCH="sm_75") == "[False]\n"
    assert program(text) == "[True]\n"


def test_another_chip(program):
    program("""
        x = [Exchange(1000) for _ in range(3)]
        kernels.add[1](*x)
        with phobos.use_chip("sm_75"):
            kernels.add[1](*x)
            assert driver.fake_loads() == 2
        kernels.add[1](*x)
        assert driver.fake_loads() == 2
        assert {v.chip for v in kernels.add.cache} == {"sm_75", "sm_80"}
        assert "unknown chip 'sm_1'" in raises(phobos.LaunchError, lambda: phobos.use_chip("sm_1"))
        (device,) = phobos.devices()
        assert (device.chip, device.capability, device.multiprocessors) == ("sm_80", (8, 0), 108)
    """)


# Case 49 of docs/cases.md.
def test_threads_launch_and_tune_one_kernel(program):
    program("""
        x = [Exchange(1000) for _ in range(3)]
        y = Exchange(1024)
        errors = []
        start = threading.Barrier(16)
        def work():
            try:
                start.wait()
                for _ in range(200):
                    kernels.add[lambda meta: 1](*x)
                    kernels.tuned[lambda meta: meta["N"] // meta["TILE"]](y)
            except BaseException as error:
                errors.append(error)
        threads = [threading.Thread(target=work) for _ in range(16)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        assert errors == [], errors
        assert driver.fake_loads() == 4
        assert sum(launch.threads == 256 for launch in launches()) >= 3200
    """)


# Case 49 of docs/cases.md.
def test_fork_after_import(program):
    program("""
        import os
        kernels.add.compile(arch="sm_80")        # the compiler has run; the driver has not
        for _ in range(3):
            child = os.fork()
            if child == 0:
                x = [Exchange(1000) for _ in range(3)]
                kernels.add[1](*x)
                os._exit(0 if len(launches()) == 1 else 1)
            assert os.waitpid(child, 0)[1] == 0
        x = [Exchange(1000) for _ in range(3)]
        kernels.add[1](*x)
        assert len(launches()) == 1
    """)


# Case 55 of docs/cases.md.
def test_device_of_the_arrays(program):
    program("""
        driver.fake_devices(2)
        first, second = ([Exchange(1000, device=d) for _ in range(3)] for d in (0, 1))
        kernels.add[1](*first)
        kernels.add[1](*second)
        kernels.add[1](*first)
        assert driver.fake_loads() == 2
        assert len(launches()) == 3
        far = [Exchange(1000, device=5) for _ in range(3)]
        assert "there is no device cuda:5; the driver sees 2" in raises(phobos.LaunchError, lambda: kernels.add[1](*far))
    """)


def test_objects_are_collected(program):
    program("""
        import gc, weakref
        x = Exchange(256)
        inner, _ = kernels.make(2.0)
        inner[2](x)
        seen = weakref.ref(inner)
        del inner, _
        gc.collect()
        assert seen() is None
        before = sys.getrefcount(x)
        for _ in range(100):
            kernels.scale[1](x, 1.0, 2)
        assert sys.getrefcount(x) == before
    """)


def test_bench(program):
    program("""
        x = [Exchange(1000) for _ in range(3)]
        assert phobos.bench(lambda: kernels.add[2](*x)) > 0
        assert "'Q'" in raises(KeyError, lambda: phobos.bench(lambda: {}["Q"]))
    """)
