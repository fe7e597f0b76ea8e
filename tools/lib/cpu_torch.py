"""torch for code that was written for a GPU, where there is none: device="cuda" means the CPU, and half precision works.

    with cpu_torch.stand_in() as torch:
        ok, verdict = tutorial.check(torch)

Results are those of torch's own CPU functions. What they lack for float16, or would sum in float16, is computed in float32 and
rounded once, as a GPU does it.
"""

from __future__ import annotations

import contextlib
import types

# Sums of many terms: torch's CPU may keep them in the narrow type, or have no kernel for it.
WIDENED = {"matmul", "mm", "bmm", "addmm", "dot", "einsum", "linear", "sum", "mean", "var", "std", "cumsum", "softmax", "log_softmax"}
WIDENED |= {"layer_norm", "scaled_dot_product_attention", "norm", "logsumexp", "prod"}


def _on_cpu(value):
    """Devices of a GPU become the CPU, wherever an argument holds one."""
    import torch

    if isinstance(value, str) and value.split(":")[0] == "cuda":
        return "cpu"
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    return value


def _map(value, change):
    if isinstance(value, (tuple, list)) and type(value) in (tuple, list):
        return type(value)(_map(item, change) for item in value)
    if isinstance(value, dict):
        return {key: _map(item, change) for key, item in value.items()}
    return change(value)


@contextlib.contextmanager
def stand_in():
    """The module to use as torch; holds for methods of tensors too, until the end of the `with`."""
    import torch
    from torch.overrides import TorchFunctionMode

    def widen(value):
        if value is torch.float16:
            return torch.float32
        return value.float() if isinstance(value, torch.Tensor) and value.dtype == torch.float16 else value

    def narrow(value):
        return value.half() if isinstance(value, torch.Tensor) and value.dtype == torch.float32 else value

    def in_float32(function, args, kwargs):
        out = kwargs.pop("out", None)
        result = _map(function(*_map(args, widen), **_map(kwargs, widen)), narrow)
        return result if out is None else out.copy_(result)

    def has_half(args, kwargs):
        found = []
        _map((args, kwargs), lambda v: found.append(v) if isinstance(v, torch.Tensor) and v.dtype == torch.float16 else None)
        return bool(found)

    class OnCpu(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            args, kwargs = _map(args, _on_cpu), _map(dict(kwargs or {}), _on_cpu)
            name = getattr(function, "__name__", "").strip("_")
            if name == "cuda":
                return args[0]
            if name in WIDENED and has_half(args, kwargs):
                return in_float32(function, args, kwargs)
            try:
                return function(*args, **kwargs)
            except RuntimeError as error:
                if "not implemented for 'Half'" not in str(error) or not has_half(args, kwargs):
                    raise
                return in_float32(function, args, kwargs)

    module = types.ModuleType("torch")
    module.__dict__.update(torch.__dict__)
    module.cuda = _cuda()
    module.Generator = lambda device="cpu": torch.Generator(_on_cpu(device))
    module.device = lambda *args: torch.device(*map(_on_cpu, args))
    with OnCpu():
        yield module


def _cuda() -> types.ModuleType:
    """What is asked of torch.cuda by code that launches kernels: there is one device, and nothing to wait for."""
    module = types.ModuleType("torch.cuda")
    module.is_available = lambda: True
    module.device_count = lambda: 1
    module.current_device = lambda: 0
    module.get_device_name = lambda device=0: "host simulator"
    module.synchronize = module.set_device = module.empty_cache = lambda *args: None
    module.device = contextlib.nullcontext
    return module
