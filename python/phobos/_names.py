"""What the names of phobos.lang are, as Python objects: dtypes, annotations that tolerate being evaluated, and stand-ins
that refuse to be used outside a kernel."""

from __future__ import annotations


def only_in_kernels(name: str):
    """What every built-in does when Python calls it."""
    raise TypeError(f"ph.{name} means something in a kernel only; Python never runs kernels. Is `@ph.kernel` or `@ph.fn` missing?")


class DType:
    """A scalar type of the kernel language. In a kernel, calling it converts."""

    __slots__ = ("bits", "name")

    def __init__(self, name: str, bits: int):
        self.name, self.bits = name, bits

    def __repr__(self):
        return f"ph.{self.name}"

    def __reduce__(self):
        return _dtype, (self.name,)

    def __call__(self, *args, **kwargs):
        only_in_kernels(self.name)


def _dtype(name: str) -> DType:
    from . import lang

    return getattr(lang, name)


class Annotation:
    """`ph.tensor[…][…]` and its kind: written in annotations, read by the compiler from the source."""

    def __init__(self, name: str, doc: str):
        self._name, self.__doc__ = name, doc

    def __getitem__(self, item):
        return self

    def __call__(self, *args, **kwargs):
        only_in_kernels(self._name)

    def __repr__(self):
        return f"ph.{self._name}"


class Context:
    """`ph.ctx`: where a block is. Its parts exist for editors; their values exist on the device."""

    def __init__(self, path: str, parts: dict[str, str]):
        self._path, self._parts = path, parts

    def __getattr__(self, name: str):
        path = f"{self._path}.{name}"
        if name in self._parts:
            axes = self._parts[name]
            return Context(path, dict.fromkeys(axes, "")) if axes else only_in_kernels(path)
        raise AttributeError(f"ph.{self._path} has no '{name}'; it has {', '.join(self._parts)}")

    def __dir__(self):
        return list(self._parts)


class Namespace:
    """`ph.std`, `ph.libdevice`: functions of these names are known to the compiler."""

    def __init__(self, path: str):
        self._path = path

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        path = f"{self._path}.{name}"

        def function(*args, **kwargs):
            only_in_kernels(path)

        function.__name__ = function.__qualname__ = name
        return function
