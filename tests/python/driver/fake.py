"""For programs that run under the fake driver: arrays that look like a GPU's, and what was launched with them."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

driver = ctypes.CDLL("libcuda.so.1")
driver.fake_exchange_api.restype = ctypes.c_void_p
driver.fake_register.argtypes = [ctypes.py_object, ctypes.c_void_p]
driver.fake_set_stream.argtypes = [ctypes.c_void_p]

_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

CODES = {"f": 2, "i": 0, "u": 1, "b": 6}


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_index", ctypes.c_int32), ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("extents", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64),
    ]  # fmt: skip


def _buffer(shape, itemsize):
    count = 1
    for extent in shape:
        count *= extent
    memory = (ctypes.c_char * (count * itemsize + 64))()
    address = (ctypes.addressof(memory) + 63) // 64 * 64
    return memory, address


class Interface:
    """An array through __cuda_array_interface__."""

    def __init__(self, *shape, typestr="<f4", strides=None, stream=None):
        self.memory, self.address = _buffer(shape, int(typestr[2:]))
        self.__cuda_array_interface__ = {
            "shape": shape, "typestr": typestr, "data": (self.address, False), "strides": strides, "version": 3, "stream": stream,
        }  # fmt: skip


class Exchange:
    """An array through DLPack's C exchange API, as torch's are."""

    def __init__(self, *shape, typestr="<f4", device=0):
        self.memory, self.address = _buffer(shape, int(typestr[2:]))
        self.extents = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        strides, pitch = [], 1
        for extent in reversed(shape):
            strides.insert(0, pitch)
            pitch *= extent
        self.strides = (ctypes.c_int64 * max(len(shape), 1))(*strides)
        tensor = Tensor(
            self.address, 2, device, len(shape), CODES[typestr[1]], 8 * int(typestr[2:]), 1,
            ctypes.addressof(self.extents), ctypes.addressof(self.strides), 0,
        )  # fmt: skip
        driver.fake_register(self, ctypes.byref(tensor))


_NAME = b"dlpack_exchange_api"
Exchange.__dlpack_c_exchange_api__ = _new(driver.fake_exchange_api(), _NAME, None)


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class ManagedVersioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64), ("tensor", Tensor),
    ]  # fmt: skip


class Capsule:
    """An array through `__dlpack__`: a capsule for each asker. `asked` lists the keywords, `freed` counts the deleter's calls."""

    def __init__(self, *shape, typestr="<f4", device=0, device_type=2, strides=None, byte_offset=0, version=None, read_only=False):
        self.memory, self.address = _buffer(shape, int(typestr[2:]))
        self.device = (device_type, device)
        self.extents = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        self.strides = (ctypes.c_int64 * len(strides))(*strides) if strides else None
        tensor = Tensor(
            self.address - byte_offset, device_type, device, len(shape), CODES[typestr[1]], 8 * int(typestr[2:]), 1,
            ctypes.addressof(self.extents), ctypes.addressof(self.strides) if strides else None, byte_offset,
        )  # fmt: skip
        self.asked, self.freed = [], 0
        self.deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._free)
        deleter = ctypes.cast(self.deleter, ctypes.c_void_p)
        self.name = b"dltensor_versioned" if version else b"dltensor"
        self.managed = ManagedVersioned(*version, None, deleter, int(read_only), tensor) if version else Managed(tensor, None, deleter)

    def _free(self, managed):
        assert managed == ctypes.addressof(self.managed)
        self.freed += 1

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **keywords):
        self.asked.append(keywords)
        return _new(ctypes.addressof(self.managed), self.name, None)


@dataclass
class Launch:
    grid: tuple
    threads: int
    shared: int
    stream: int
    parameters: list


def sizes(kernel_contract) -> None:
    """Tells the driver how wide a kernel's parameters are, as the contract says."""
    widths = [p["bytes"] for p in kernel_contract["parameters"]]
    driver.fake_sizes(len(widths), (ctypes.c_int * len(widths))(*widths))


def launch_at(index: int) -> Launch:
    words = (ctypes.c_uint64 * 600)()
    count = driver.fake_launch(index, words)
    return Launch(tuple(words[:3]), words[3], words[4], words[5], list(words[6:count]))


def launches() -> list[Launch]:
    return [launch_at(index) for index in range(driver.fake_count())]


def last() -> Launch:
    return launch_at(driver.fake_count() - 1)
