"""The decorators of phobos.lang. `kernel` and `fn` make objects; the others mark, and mean something to the compiler alone."""

from __future__ import annotations

import linecache
import sys
from types import FunctionType

from ._names import DType
from .errors import CompileError


class Function:
    """A device function (`@ph.fn`): inlined where a kernel calls it."""

    __phobos_function__ = True
    modules: set[str] = set()  # those that have some

    def __init__(self, function: FunctionType):
        self.__wrapped__ = function
        self.__name__, self.__qualname__ = function.__name__, function.__qualname__
        self.__doc__, self.__module__ = function.__doc__, function.__module__
        if not function.__module__.startswith("phobos."):  # whose own the compiler has
            self.modules.add(function.__module__)
        self.path = function.__code__.co_filename
        self.place = f"{self.path}:{function.__code__.co_firstlineno}"
        # Read now: the file may be edited before a kernel of another file calls it.
        linecache.checkcache(self.path)
        self.text = "".join(linecache.getlines(self.path, function.__globals__))

    def __call__(self, *args, **kwargs):
        raise TypeError(f"{self.__name__} is a device function: it can be called in a kernel only")

    def __repr__(self):
        return f"<device function {self.__name__} at {self.place}>"


def kernel(function=None, *, key=None, reference=None):
    """Makes a function a kernel; the outermost decorator.

    key: names of the dims or scalars whose change tunes again; all dims if not given.
    reference: a function that takes the kernel's arguments and leaves the right results in them. It runs once for each
        tuning, and a variant that differs from it is never used.
    """
    if function is None:
        return lambda target: _make_kernel(target, reference, sys._getframe(1))
    return _make_kernel(function, reference, sys._getframe(1))


def fn(function):
    """Makes a function a device function, inlined at every call."""
    return Function(_function(function, "fn"))


def _function(target, decorator: str) -> FunctionType:
    if isinstance(target, FunctionType):
        return target
    _refuse_kernel(target, decorator)
    raise TypeError(f"@ph.{decorator}: expected a function, got {type(target).__name__}")


def _make_kernel(target, reference, frame):
    function = _function(target, "kernel")
    from .kernel import Kernel  # loads the compiler

    enclosing = None
    if "<locals>" in function.__qualname__:
        # Variables that only annotations and decorators name are in no closure: their values are kept now.
        kinds = (int, float, str, tuple, DType)
        enclosing = {name: value for name, value in frame.f_locals.items() if isinstance(value, kinds)}
    return Kernel(function, reference=reference, enclosing=enclosing)


def _refuse_kernel(target, decorator: str):
    """The other decorators stand below @ph.kernel: above it, the compiler would not see them."""
    module = sys.modules.get(f"{__package__}.kernel")
    if not module or not isinstance(target, module.Kernel):
        return
    code = target.__wrapped__.__code__
    line = linecache.getline(code.co_filename, code.co_firstlineno).rstrip()
    raise CompileError(
        f"{code.co_filename}:{code.co_firstlineno}: error: `@ph.{decorator}` stands above `@ph.kernel`, which must be outermost\n"
        f"    {line}\nhint: move `@ph.kernel` to the top\n"
    )


def _marker(name: str, doc: str):
    def mark(target):
        _refuse_kernel(target, name)
        return target

    def decorator(*args, **kwargs):
        bare = len(args) == 1 and not kwargs and callable(args[0])
        return mark(args[0]) if bare else mark

    decorator.__name__ = decorator.__qualname__ = name
    decorator.__doc__ = doc + "\n\nRead by the compiler from the source; does nothing when Python runs it."
    return decorator


launch = _marker("launch", "@ph.launch(threads, min_blocks=None, max_regs=None): threads of a CTA, bounds on its resources.")
tensorcore = _marker("tensorcore", '@ph.tensorcore, @ph.tensorcore(f32="tf32x3" | "tf32" | "bf16x3"): dots on tensor cores.')
aligned = _marker("aligned", '@ph.aligned(M="TILE_M", N=128): a promise that extents are whole tiles, checked at launch.')
autotune = _marker("autotune", '@ph.autotune(TILE_M=[64, 128], when="…"): the search space of the tuned constants.')
pipeline = _marker("pipeline", "@ph.pipeline(stages=n), @ph.pipeline(False): depth of a loop's buffers.")
swizzle = _marker("swizzle", "@ph.swizzle(GROUP): blocks run in groups of GROUP rows.")
persistent = _marker("persistent", "@ph.persistent: one resident CTA walks several blocks.")
dependent = _marker("dependent", "@ph.dependent: this kernel's start may overlap the end of the one before.")
cluster = _marker("cluster", "@ph.cluster(x, y=1): thread-block cluster.")
