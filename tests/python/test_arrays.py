"""Arrays of other libraries: each protocol by which they come in, on the fake driver. Exchange (torch's) is in test_launch.py."""

from __future__ import annotations

import phobos
import pytest


def test_dlpack_capsules(program):
    program("""
        sizes(kernels.add.compile(arch="sm_80").contract)
        for version in (None, (1, 0), (1, 9)):
            a, b = Capsule(1000, version=version), Capsule(1000, strides=(1,), version=version)
            c = Capsule(1000, byte_offset=32, version=version)
            kernels.add[1](a, b, c)
            assert last().parameters[:3] == [a.address, b.address, c.address], version
            assert last().stream == 0                # the stream that the producers were told, 1, is the legacy default
            for array in (a, b, c):
                assert array.asked == [{"stream": 1}] and array.freed == 1
        assert len(launches()) == 3
    """)


def test_a_capsule_is_given_back_when_the_launch_is_refused(program):
    program("""
        a, b, c = Capsule(1000), Capsule(999), Capsule(1000)
        text = raises(phobos.LaunchError, lambda: kernels.add[1](a, b, c))
        assert "argument `y`: expected extent 1000 along axis 0 (dim `N`), got 999" in text
        assert [array.freed for array in (a, b, c)] == [1, 1, 1]
        assert launches() == []
    """)


def test_capsules_of_the_host_are_not_asked_for_a_stream(program):
    program("""
        a = Capsule(1000, device_type=1)
        text = raises(phobos.LaunchError, lambda: kernels.add[1](a, a, a))
        assert "argument `x`: expected an array on a CUDA device, got one on the CPU" in text
        assert a.asked == [{}] * 3 and a.freed == 3
    """)


def test_managed_memory_is_the_device_s(program):
    program("""
        a = Capsule(1000, device_type=13)
        kernels.add[1](a, a, a)
        assert len(launches()) == 1
    """)


def test_capsules_that_cannot_be_read(program):
    program("""
        newer = Capsule(1000, version=(2, 0))        # only its deleter is where it was
        text = raises(phobos.LaunchError, lambda: kernels.add[1](newer, newer, newer))
        assert "argument `x`: expected an array of f32, got a value of type Capsule" in text
        assert newer.freed == len(newer.asked) == 3

        class Raises(Capsule):
            def __dlpack__(self, **keywords):
                raise BufferError("no")

        text = raises(phobos.LaunchError, lambda: kernels.add[1](Raises(8), Raises(8), Raises(8)))
        assert "argument `x`: expected an array of f32, got a value of type Raises" in text

        class Nothing(Capsule):
            def __dlpack__(self, **keywords):
                return None

        assert "got a value of type Nothing" in raises(phobos.LaunchError, lambda: kernels.add[1](Nothing(8), Nothing(8), Nothing(8)))
    """)


def test_dlpack_strides_and_types(program):
    program("""
        contract = kernels.matrix.compile(arch="sm_80").contract
        sizes(contract)
        strides = [i for i, p in enumerate(contract["parameters"]) if p["kind"] == "stride"]
        for pitch in (100, 128):
            kernels.matrix[1](Capsule(10, 100, typestr="<f2", strides=(pitch, 1)))
            assert [last().parameters[i] for i in strides][0] == pitch
        for typestr, name in (("<f8", "f64"), ("<i2", "i16"), ("|u1", "u8"), ("|b1", "bool")):
            text = raises(phobos.LaunchError, lambda: kernels.matrix[1](Capsule(10, 100, typestr=typestr)))
            assert f"argument `x`: expected dtype f16, got {name}" in text
    """)


def test_cuda_array_interface(program):
    program("""
        sizes(kernels.add.compile(arch="sm_80").contract)
        a, b = Interface(1000), Interface(1000, strides=(4,))
        kernels.add[1](a, b, a)
        assert last().parameters[:3] == [a.address, b.address, a.address]
        text = raises(phobos.LaunchError, lambda: kernels.add[1](a, b, Interface(1000, typestr="<c8")))
        assert "argument `z`: expected dtype f32, got complex64" in text
        for typestr in (">f4", "|V4"):               # not the machine's order; no letter for it
            text = raises(phobos.LaunchError, lambda: kernels.add[1](a, b, Interface(1000, typestr=typestr)))
            assert "argument `z`: expected an array of f32, got a value of type Interface" in text
        text = raises(phobos.LaunchError, lambda: kernels.add[1](a, b, Interface(1000, strides=(6,))))
        assert "got a value of type Interface" in text, "a field of a record"
    """)


def test_protocols_mix(program):
    program("""
        sizes(kernels.add.compile(arch="sm_80").contract)
        a, b, c = Exchange(1000), Capsule(1000), Interface(1000)
        for arrays in ((a, b, c), (b, c, a), (c, a, b)):
            kernels.add[1](*arrays)
            assert last().parameters[:3] == [array.address for array in arrays]
            assert last().stream == 0x51             # the current one of the library that has such a thing
        assert driver.fake_loads() == 1              # how an array comes in selects nothing
    """)


def test_tensors_that_require_grad_are_read_only(load_kernels, torch):
    kernel = load_kernels(
        "@ph.kernel\ndef descend(w: ph.tensor[ph.f32][N], g: ph.tensor[ph.f32][N]):\n    w[0:+64] -= g[0:+64]\n"
    ).descend
    weight, gradient = torch.nn.Parameter(torch.ones(64)), torch.ones(64)
    with phobos.target("host"):
        for _ in range(2):  # a launch that was right lets through none that is not
            with pytest.raises(phobos.LaunchError, match="argument `w`: expected an array that may be stored to, got a tensor that requires grad"):
                kernel[1](weight, gradient)
            kernel[1](weight.detach(), gradient)
        kernel[1](gradient, weight)
    assert weight[0].item() == -1 and gradient[0].item() == 2


def test_capsules_that_are_read_only(program):
    program("""
        a, b, c = Capsule(1000), Capsule(1000, version=(1, 0), read_only=True), Capsule(1000)
        kernels.add[1](b, b, c)                      # it is read alone
        text = raises(phobos.LaunchError, lambda: kernels.add[1](a, b, b))
        assert "argument `z`: expected an array that may be stored to, got a read-only one" in text
        assert "note: the kernel stores to it" in text and len(launches()) == 1
    """)


def test_torch_without_the_exchange_api(load_kernels, torch):
    kernel = load_kernels(
        "@ph.kernel\ndef k(x: ph.tensor[ph.f16][M, N], n: ph.i32):\n    x[0:+16, 0:+16] = x[0:+16, 0:+16] * 2.0\n"
    ).k
    whole = torch.zeros(32, 64, dtype=torch.float16)
    plain = kernel.compile(whole, 1, arch="sm_80").ptx
    assert plain == kernel.compile(whole.clone(), 1, arch="sm_80").ptx
    assert plain != kernel.compile(whole.T, 1, arch="sm_80").ptx, "its rows have another stride"
    assert plain != kernel.compile(whole[:, ::2], 1, arch="sm_80").ptx
