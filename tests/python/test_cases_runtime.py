"""What other tile languages' users met when they launched: overhead, compiling again, caches, tools that are missing, code for elsewhere.

All without a GPU; the numbers are those of docs/cases.md.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess

from conftest import ROOT


def test_case_45_a_warm_launch_costs_little(program):
    """Without the driver's part: the driver here does nothing. Some 0.4 us for five arguments on a 2.6 GHz Xeon."""
    program("""
        import time
        import case_kernels
        driver.fake_record(0)
        arrays = [Exchange(1024) for _ in range(10)]

        def microseconds(call):
            best = float("inf")
            for _ in range(10):
                start = time.perf_counter()
                for _ in range(1000):
                    call()
                best = min(best, (time.perf_counter() - start) / 1000)
            return best * 1e6

        cost = {
            0: microseconds(lambda: case_kernels.none[1]()),
            5: microseconds(lambda: case_kernels.five[1](*arrays[:3], 1.0, 2)),
            20: microseconds(lambda: case_kernels.twenty[1](*arrays, *range(10))),
        }
        assert cost[0] < 3 and cost[5] < 3 and cost[20] < 6, cost
        assert driver.fake_loads() == 3
    """)


def test_case_46_shapes_and_scalars_compile_nothing_again(program):
    program("""
        import case_kernels
        x = Exchange(4096)
        for n in (1, 3, 8, 16, 17, 4096, 2**30, 0, -1, -16):
            case_kernels.scalars[1](x, n, n, n)
        assert driver.fake_loads() == 1
        kept = [Exchange(n) for n in (1, 2, 3, 8, 16, 17, 31, 63, 64, 65, 1000, 1024, 4095, 4096, 4097, 10**6)]
        for array in kept:      # whole tiles, whole vectors and neither: an extent of 1 is no kind of its own
            case_kernels.scalars[1](array, 1, 1, 1)
        assert driver.fake_loads() <= 3, driver.fake_loads()
        rows = [Exchange(m, n, typestr="<f2") for m in (1, 2, 3, 15, 17, 33) for n in (3, 5, 17, 33, 1001)]
        before = driver.fake_loads()
        for array in rows:
            kernels.matrix[1](array)
        assert driver.fake_loads() == before + 1
    """)


def test_case_48_a_cache_serves_the_chip_it_was_made_for(program, tmp_path):
    text = """
        x = [Exchange(1000) for _ in range(3)]
        kernels.add[1](*x)
        print([(v.chip, v.from_disk) for v in kernels.add.cache])
    """
    folder = tmp_path / "cache" / "kernels"
    chips = ["sm_75", "sm_80", "sm_90a", "sm_100a", "sm_103a", "sm_120a"]
    for count, chip in enumerate(chips, 1):
        assert program(text, PHOBOS_ARCH=chip) == f"[('{chip}', False)]\n"
        assert len(list(folder.iterdir())) == count
    for chip in chips:
        assert program(text, PHOBOS_ARCH=chip) == f"[('{chip}', True)]\n"


def test_case_48_a_damaged_entry_is_compiled_again(program, tmp_path):
    program("""
        import os, pathlib
        x = [Exchange(1000) for _ in range(3)]

        def from_disk():
            kernels.add.clear()
            kernels.add[1](*x)
            return [v.from_disk for v in kernels.add.cache]

        assert from_disk() == [False] and from_disk() == [True]
        (entry,) = (pathlib.Path(os.environ["PHOBOS_CACHE_DIR"]) / "kernels").iterdir()
        whole = entry.read_bytes()
        places = sorted({*range(0, 96, 8), *range(0, len(whole), len(whole) // 24), len(whole) - 1})
        damaged = [whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1:] for at in places]
        damaged += [whole[:length] for length in (0, 1, 8, 64, len(whole) // 2, len(whole) - 1)] + [whole + b"x"]
        for i, content in enumerate(damaged):
            entry.write_bytes(content)
            assert from_disk() == [False], i
            assert entry.read_bytes() == whole, i
        assert from_disk() == [True]
    """)


def test_case_49_threads_that_fail_and_rules_that_launch(program):
    """Errors reach every thread; a rule and a reference may launch, and what they raise is passed on."""
    program("""
        import case_kernels
        x = Exchange(1024)
        errors = []

        def work():
            try:
                case_kernels.wrong[1](x)
            except phobos.CompileError as error:
                errors.append("`y` is not defined" in str(error))

        threads = [threading.Thread(target=work) for _ in range(8)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        assert errors == [True] * 8

        def rule(meta):
            case_kernels.narrow[lambda inner: inner["N"] // inner["TILE"]](x)
            case_kernels.wide[4](x, TILE=64)
            return meta["N"] // meta["TILE"]

        case_kernels.wide[rule](x)
        assert case_kernels.wide.best(x) == {"TILE": 512}

        def interrupted(meta):
            raise KeyboardInterrupt

        raises(KeyboardInterrupt, lambda: kernels.scale[interrupted](x, 1.0, 2))
        raises(RecursionError, lambda: kernels.scale[lambda meta: (lambda f: f(f))(lambda f: f(f))](x, 1.0, 2))
        kernels.scale[3](x, 1.0, 2)
        assert last().grid == (3, 1, 1)
    """)


def test_case_49_a_rule_that_launches_what_is_being_tuned_is_told_so(program):
    text = program("""
        import faulthandler
        faulthandler.dump_traceback_later(3, exit=True)
        x = Exchange(1024)

        def rule(meta):
            kernels.tuned[lambda inner: inner["N"] // inner["TILE"]](x)
            return meta["N"] // meta["TILE"]

        try:
            kernels.tuned[rule](x)
        except phobos.LaunchError as error:
            print(error)
        kernels.tuned[lambda meta: meta["N"] // meta["TILE"]](x)  # and is tuned afterwards
        print("tuned")
    """)
    assert "kernel `tuned` is launched by its own grid rule or reference while it is tuned for it" in text and text.endswith("tuned\n")


TUNED = """
    import case_kernels
    x = Exchange(1024)
    grid = lambda meta: meta["N"] // meta["TILE"]
    case_kernels.{name}[grid](x)
    assert case_kernels.{name}.best(x)["TILE"] == {best}
    print(len(launches()), [v.from_disk for v in case_kernels.{name}.cache])
"""


def test_case_51_a_second_process_compiles_nothing_to_tune(program):
    text = TUNED.format(name="narrow", best=256)
    assert program(text).endswith("[False, False, False]\n")
    again = text.replace("grid = ", "case_kernels.narrow.clear()  # tunes again\n    grid = ")
    assert program(again).endswith("[True, True, True]\n")


def test_case_51_a_second_process_times_nothing(program):
    text = TUNED.format(name="narrow", best=256)
    assert int(program(text).split()[0]) > 1
    assert program(text).endswith("1 [True]\n"), "launched once, and only the fastest was read"
    assert int(program(text, PHOBOS_CACHE="0").split()[0]) > 1


def test_case_51_a_reference_is_asked_by_every_process(program):
    text = TUNED.format(name="looked_at", best=256) + "    print(len(case_kernels.looks))\n"
    assert program(text).endswith("[False, False, False]\n1\n")
    assert program(text).endswith("[True, True, True]\n1\n")


def test_case_51_what_has_changed_is_tuned_again(program, tmp_path):
    """Another combination, another text of the file: nothing of what was found before holds."""
    text = TUNED.format(name="narrow", best=256)
    program(text)
    fixed = text.replace("[grid](x)", "[grid](x, TILE=64)").replace("best(x)", "best(x, TILE=64)").replace("== 256", "== 64")
    assert program(fixed).startswith("1 ")
    kernels = (ROOT / "tests" / "python" / "driver" / "case_kernels.py").read_text()
    (tmp_path / "case_copies.py").write_text(kernels + "# another line\n")
    edited = f"sys.path.insert(0, {str(tmp_path)!r}); import case_copies as case_kernels"
    assert int(program(text.replace("import case_kernels", edited)).split()[0]) > 1


def test_case_53_a_driver_is_all_that_a_launch_needs(program):
    """No compiler, no toolkit, no other program is found or started; the driver assembles."""
    assert program("""
        import os, resource, shutil
        assert shutil.which("gcc") is None and shutil.which("ptxas") is None
        x = [Exchange(1000) for _ in range(3)]
        kernels.add[1](*x)
        (variant,) = kernels.add.cache
        assert len(launches()) == 1 and not variant.from_disk
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(children.ru_maxrss, children.ru_utime + children.ru_stime)
    """, PATH="/nowhere", CUDA_HOME="/nowhere", PHOBOS_ASSEMBLER="", HOME="/nowhere") == "0 0.0\n"  # fmt: skip


C_PROGRAM = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(void **, int);
int cuCtxPushCurrent_v2(void *);
int cuModuleLoadDataEx(void **, const void *, unsigned, int *, void **);
int cuModuleGetFunction(void **, void *, const char *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
int cuCtxSynchronize(void);
void fake_sizes(int, const int *);
int fake_launch(int, uint64_t *);

int main(int count, char **arguments) {{
  static char image[1 << 20];
  FILE *file = fopen(arguments[1], "rb");
  size_t bytes = fread(image, 1, sizeof image, file);
  void *context, *module, *function;
  {declared}
  void *parameters[] = {{{addresses}}};
  int widths[] = {{{widths}}};
  fake_sizes({count}, widths);
  int failed = bytes == 0 || cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxPushCurrent_v2(context) ||
               cuModuleLoadDataEx(&module, image, 0, NULL, NULL) || cuModuleGetFunction(&function, module, "{entry}") ||
               cuLaunchKernel(function, 2, 1, 1, {threads}, 1, 1, {shared}, NULL, parameters, NULL) || cuCtxSynchronize();
  uint64_t seen[64] = {{0}};
  int words = fake_launch(0, seen);
  for (int i = 0; i < words; ++i) {{
    printf("%llu ", (unsigned long long)seen[i]);
  }}
  return failed;
}}
"""


def test_case_55_a_cubin_and_its_contract_are_launched_from_c(phobosc, ptxas, fake_driver, tmp_path):
    """What is needed stands in the contract: parameters in order with their widths, threads, shared memory, the entry's name."""
    source = ROOT / "tests" / "python" / "driver" / "kernels.py"
    command = [
        phobosc,
        str(source),
        "--kernel",
        "scale",
        "--arch",
        "sm_90a",
        "--emit",
        "cubin,contract",
        "-o",
        str(tmp_path / "scale"),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "libcuda" not in subprocess.run(["ldd", phobosc], capture_output=True, text=True).stdout
    contract = json.loads((tmp_path / "scale.json").read_text())
    values = {
        "pointer": ["uint64_t {} = 4096;"],
        "extent": ["int32_t {} = 512;"],
        "scalar": ["float {} = 2.5f;", "int32_t {} = -3;"],
    }
    assert [p["kind"] for p in contract["parameters"]] == ["pointer", "extent", "scalar", "scalar"]
    declared = [values[p["kind"]].pop(0).format(f"p{i}") for i, p in enumerate(contract["parameters"])]
    count = len(declared)
    text = C_PROGRAM.format(
        declared=" ".join(declared), addresses=", ".join(f"&p{i}" for i in range(count)), count=count, entry=contract["entry"],
        widths=", ".join(str(p["bytes"]) for p in contract["parameters"]), threads=contract["threads"], shared=contract["sharedBytes"],
    )  # fmt: skip
    (tmp_path / "launch.c").write_text(text)
    compiler = shutil.which("cc") or shutil.which("clang-22")
    library = str(fake_driver / "libcuda.so.1")
    subprocess.run(
        [compiler, "-o", str(tmp_path / "launch"), str(tmp_path / "launch.c"), library, f"-Wl,-rpath,{fake_driver}"],
        check=True,
    )
    done = subprocess.run([str(tmp_path / "launch"), str(tmp_path / "scale.cubin")], capture_output=True, text=True)
    assert done.returncode == 0
    grid, threads, shared = [2, 1, 1], contract["threads"], contract["sharedBytes"]
    assert [int(word) for word in done.stdout.split()] == [*grid, threads, shared, 0, 4096, 512, 0x40200000, 2**32 - 3]


def test_case_55_a_launch_that_fails_is_an_exception(program):
    program("""
        driver.fake_fail(700)
        text = raises(phobos.LaunchError, lambda: kernels.scale[1](Exchange(8), 1.0, 2))
        assert "CUDA_ERROR_ILLEGAL_ADDRESS" in text
        driver.fake_fail(0)
        kernels.scale[1](Exchange(8), 1.0, 2)
        assert len(launches()) == 1
    """)


def test_case_56_libdevice_is_there_on_the_host(load_kernels):
    import math

    import numpy as np
    import phobos

    text = "@ph.kernel\ndef arcs(A: ph.tensor[ph.f32][N], B: ph.tensor[ph.f32][N]):\n    B[0:+64] = ph.libdevice.asin(A[0:+64])\n"
    a, b = np.linspace(-1, 1, 50, dtype=np.float32), np.zeros(50, np.float32)
    with phobos.target("host"), phobos.sim(check="all"):
        load_kernels(text).arcs[1](a, b)
    assert np.allclose(b, [math.asin(x) for x in a], rtol=1e-6)


def test_case_57_the_time_of_a_compilation_is_told(phobosc, tmp_path):
    source = ROOT / "examples" / "tutorials" / "t03_matmul.py"
    command = [phobosc, str(source), "--emit", "ptx", "-o", str(tmp_path / "out"), "--time-passes"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    times = {name: float(ms) for name, ms in re.findall(r"^(\S.*?) +(\d+\.\d+) ms$", told, re.M)}
    total = times.pop("total")
    assert {"parse", "sema", "irgen", "tile-assign-layouts", "llvm codegen"} <= set(times)
    assert total / 2 < sum(times.values()) <= total * 1.02


def test_case_57_compiling_ahead_warms_the_cache(program):
    program("""
        arrays = [Exchange(1000) for _ in range(3)]
        kernels.add.compile(*arrays, arch="sm_80")
    """)
    assert program("""
        kernels.add[1](*(Exchange(1000) for _ in range(3)))
        print([v.from_disk for v in kernels.add.cache])
    """) == "[True]\n"  # fmt: skip
