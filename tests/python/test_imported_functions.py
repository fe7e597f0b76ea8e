"""Device functions of other files: found by Python's objects where a kernel is launched, by the file system where phobosc compiles."""

from __future__ import annotations

import importlib
import subprocess
import sys
import textwrap

import numpy as np
import pytest

FILES = {
    "main": """
        import helpers
        import pkg.more
        from helpers import leaky as act

        SLOPE = 100.0

        @ph.fn
        def local(x):
            return helpers.twice(act(x))

        @ph.kernel
        @ph.launch(64)
        def kernel(x: ph.tensor[ph.f32][N], y: ph.tensor[ph.f32][N]):
            i = ph.ctx.block.x * 64
            y[i:+64] = pkg.more.scaled(local(x[i:+64]), by=1.0)
    """,
    "helpers": """
        from pkg import more

        SLOPE = 0.25

        @ph.fn
        def leaky(x):
            return ph.where(x > 0, x, more.scaled(x, by=SLOPE))

        @ph.fn
        def twice(x):
            return x + x
    """,
    "pkg/__init__": "",
    "pkg/more": """
        from .deep import scale as by_far

        @ph.fn
        def scaled(x, by=2.0):
            return by_far(x, by)
    """,
    "pkg/deep": """
        OFFSET = 1.0

        @ph.fn
        def scale(x, by):
            return x * by + OFFSET - OFFSET
    """,
}
HEAD = "from __future__ import annotations\nimport phobos.lang as ph\n"


@pytest.fixture
def written(tmp_path, monkeypatch):
    """written(**changes): the files, with these texts instead, and `main` imported anew."""

    def write(**changes):
        for name, text in {**FILES, **changes}.items():
            path = tmp_path / f"{name}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(HEAD + textwrap.dedent(text))
        for name in [n for n in sys.modules if n.split(".")[0] in ("main", "helpers", "pkg")]:
            del sys.modules[name]
        importlib.invalidate_caches()
        return importlib.import_module("main")

    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    write.folder = tmp_path
    yield write
    for name in [n for n in sys.modules if n.split(".")[0] in ("main", "helpers", "pkg")]:
        del sys.modules[name]


def launched(kernel):
    import phobos

    x = np.linspace(-2, 2, 128).astype(np.float32)
    y = np.zeros_like(x)
    with phobos.target("host"):
        kernel[2](x, y)
    return x, y


def test_a_launch_finds_them(written):
    """Also under other names, through modules and packages, and with the constants of their own files."""
    x, y = launched(written().kernel)
    assert np.allclose(y, 2 * np.where(x > 0, x, 0.25 * x), atol=1e-6)


def test_a_changed_file_is_another_kernel(written):
    launched(written().kernel)
    x, y = launched(written(helpers=FILES["helpers"].replace("0.25", "0.5")).kernel)
    assert np.allclose(y, 2 * np.where(x > 0, x, 0.5 * x), atol=1e-6)


def test_phobosc_finds_them(written, phobosc):
    written()
    for place in (written.folder, written.folder.parent):
        done = subprocess.run([phobosc, str(written.folder / "main.py"), "--emit", "tile"], capture_output=True, text=True, cwd=place)
        assert done.returncode == 0, done.stderr
        assert "dense<2.500000e-01>" in done.stdout and "dense<1.000000e+02>" not in done.stdout


def test_an_error_is_shown_where_it_is(written, phobosc):
    main = written(**{"pkg/deep": FILES["pkg/deep"].replace("x * by", "x @ by")})
    import phobos

    with pytest.raises(phobos.CompileError) as caught:
        launched(main.kernel)
    done = subprocess.run([phobosc, "main.py", "--emit", "tile"], capture_output=True, text=True, cwd=written.folder)
    for text in (str(caught.value), done.stderr):
        assert "deep.py:8:" in text and "return x @ by + OFFSET - OFFSET" in text and "main.py:18:" in text, text


@pytest.mark.parametrize(
    "name,text,message",
    [
        ("pkg/more", "@ph.fn\ndef scaled(x, by=2.0):\n    return main_local(x)\n", "`main_local` is not defined"),
        ("helpers", FILES["helpers"].replace("0.25", "float('0.25')"), "the value of `SLOPE` cannot be read from the text"),
        ("helpers", FILES["helpers"].replace("@ph.fn\n        def twice", "def twice"), "`helpers` is imported; a kernel sees device functions of other files, and nothing else of them"),
    ],
)  # fmt: skip
def test_what_they_do_not_see(name, text, message, written):
    import phobos

    with pytest.raises(phobos.CompileError) as caught:
        launched(written(**{name: text}).kernel)
    assert message in str(caught.value)


def test_functions_that_call_each_other_across_files(written):
    import phobos

    text = "import main\n\n@ph.fn\ndef leaky(x):\n    return main.local(x)\n\n@ph.fn\ndef twice(x):\n    return x\n"
    with pytest.raises(phobos.CompileError, match="a device function cannot call itself: (leaky -> local -> leaky|local -> leaky -> local)"):
        launched(written(helpers=text).kernel)
