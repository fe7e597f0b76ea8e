// Matches arguments to parameters: dtypes, ranks, devices, strides; solves symbolic dims; checks promises. Every
// refusal names the argument, what was expected and what came, and shows the parameter in the kernel's source.
#include "phobos/runtime/Arguments.h"

#include "phobos/Driver/Compiler.h"
#include "phobos/Support/IndexLimits.h"
#include "phobos/runtime/Device.h"

#include <cstdlib>

namespace phobos::runtime {
namespace {

std::string quoted(std::string_view name) { return "`" + std::string(name) + "`"; }

std::string argumentText(const ParameterInfo &parameter) { return "argument " + quoted(parameter.name); }

/// A DLPack type in the kernel language's spelling where it has one.
std::string typeText(const TensorArgument &tensor) {
  if (tensor.typeLanes == 1) {
    for (int i = 0; i <= static_cast<int>(DType::f8e5m2); ++i) {
      DType type = static_cast<DType>(i);
      if (dlpackCode(type) == tensor.typeCode && bitWidth(type) == tensor.typeBits) {
        return std::string(name(type));
      }
    }
    if (tensor.typeCode == 5) {
      return "complex" + std::to_string(tensor.typeBits);
    }
  }
  return "DLPack type " + std::to_string(tensor.typeCode) + " of " + std::to_string(tensor.typeBits) + " bits x " +
         std::to_string(tensor.typeLanes);
}

std::string shapeText(const TensorArgument &tensor) {
  std::string text = "(";
  for (int i = 0; i < tensor.rank; ++i) {
    text += (i ? ", " : "") + std::to_string(tensor.extents[i]);
  }
  return text + (tensor.rank == 1 ? ",)" : ")");
}

std::string dimsText(const ParameterInfo &parameter) {
  std::string text = "[";
  for (const DimInfo &dim : parameter.dims) {
    text += (text.size() > 1 ? ", " : "") + (!dim.name.empty()              ? dim.name
                                             : dim.extent == kUnknownExtent ? "?"
                                                                            : std::to_string(dim.extent));
  }
  return text + "]";
}

std::string kindText(const Argument &argument) {
  switch (argument.kind) {
  case Argument::Kind::Tensor:
    return "an array";
  case Argument::Kind::Scalar:
    switch (argument.scalar.kind) {
    case ScalarArgument::Kind::Bool:
      return "a bool";
    case ScalarArgument::Kind::Int:
    case ScalarArgument::Kind::Unsigned:
      return "an int";
    case ScalarArgument::Kind::Float:
      return "a float";
    case ScalarArgument::Kind::Type:
      return "a dtype";
    }
    return "a number";
  case Argument::Kind::Missing:
    return "nothing";
  case Argument::Kind::Other:
    return "a value of type " + std::string(argument.typeName ? argument.typeName : "?");
  }
  return {};
}

Error extentError(const Signature &signature, const ParameterInfo &parameter, int axis, int64_t extent) {
  return signature.launchError(&parameter, argumentText(parameter) + ": expected extent " +
                                               std::to_string(parameter.dims[axis].extent) + " along axis " +
                                               std::to_string(axis) + ", got " + std::to_string(extent));
}

class Binder {
public:
  Binder(const Signature &signature, const Argument *arguments, ArraysOn place)
      : signature(signature), info(signature.info()), arguments(arguments), place(place) {
    binding.dims.assign(info.dims.size(), -1);
    definedBy.assign(info.dims.size(), {nullptr, 0});
  }

  Result<Binding> run() {
    for (size_t i = 0; i < info.parameters.size(); ++i) {
      const ParameterInfo &parameter = info.parameters[i];
      const Argument &argument = arguments[i];
      if (argument.kind == Argument::Kind::Missing) {
        return signature.launchError(&parameter,
                                     "missing argument " + quoted(parameter.name) + " of kernel " + quoted(info.name));
      }
      Status status = parameter.kind == ParameterInfo::Kind::Tensor   ? bindTensor(parameter, argument)
                      : parameter.kind == ParameterInfo::Kind::Scalar ? bindScalar(parameter, argument)
                                                                      : bindConstant(parameter, argument);
      if (!status) {
        return status.error();
      }
    }
    binding.allEmpty = sawTensor && !sawElement;
    return std::move(binding);
  }

private:
  Status bindScalar(const ParameterInfo &parameter, const Argument &argument) {
    if (argument.kind != Argument::Kind::Scalar || argument.scalar.kind == ScalarArgument::Kind::Type) {
      return signature.launchError(
          &parameter,
          argumentText(parameter) + ": expected a number (" + std::string(name(parameter.dtype)) + "), got " +
              kindText(argument),
          argument.kind == Argument::Kind::Tensor ? "pass a Python number, such as the array's .item()" : "");
    }
    uint64_t ignored;
    return packScalar(signature, parameter, argument.scalar, &ignored);
  }

  Status bindConstant(const ParameterInfo &parameter, const Argument &argument) {
    if (argument.kind != Argument::Kind::Scalar) {
      return signature.launchError(&parameter, argumentText(parameter) + ": expected a compile-time constant (" +
                                                   std::string(name(parameter.dtype)) + "), got " + kindText(argument));
    }
    const ScalarArgument &value = argument.scalar;
    uint64_t ignored;
    ConstantValue constant;
    if (value.kind == ScalarArgument::Kind::Type) {
      constant = ConstantValue::ofType(value.dtype);
    } else if (Status status = packScalar(signature, parameter, value, &ignored); !status) {
      return status.error();
    } else if (kindOf(parameter.dtype) == DTypeKind::Bool) {
      constant = ConstantValue::ofBool(value.integer != 0);
    } else if (isFloat(parameter.dtype)) {
      constant = ConstantValue::ofFloat(value.kind == ScalarArgument::Kind::Float ? value.real
                                        : value.kind == ScalarArgument::Kind::Unsigned
                                            ? static_cast<double>(value.unsignedInteger)
                                            : static_cast<double>(value.integer));
    } else {
      constant = ConstantValue::ofInt(value.integer); // a u64 past int64 wraps, as the kernel's own arithmetic does
    }
    binding.constants.emplace_back(parameter.name, std::move(constant));
    return {};
  }

  Status bindTensor(const ParameterInfo &parameter, const Argument &argument) {
    if (argument.kind != Argument::Kind::Tensor) {
      return signature.launchError(&parameter, argumentText(parameter) + ": expected an array of " +
                                                   std::string(name(parameter.dtype)) + ", got " + kindText(argument));
    }
    const TensorArgument &tensor = argument.tensor;
    if (tensor.typeCode != dlpackCode(parameter.dtype) || tensor.typeBits != bitWidth(parameter.dtype) ||
        tensor.typeLanes != 1) {
      return signature.launchError(&parameter, argumentText(parameter) + ": expected dtype " +
                                                   std::string(name(parameter.dtype)) + ", got " + typeText(tensor));
    }
    if (tensor.rank != static_cast<int>(parameter.dims.size())) {
      return signature.launchError(&parameter, argumentText(parameter) + ": expected rank " +
                                                   std::to_string(parameter.dims.size()) + " " + dimsText(parameter) +
                                                   ", got rank " + std::to_string(tensor.rank) + " with shape " +
                                                   shapeText(tensor));
    }
    if (Status status = bindDevice(parameter, tensor); !status) {
      return status;
    }
    BoundTensor bound;
    bound.data = tensor.data;
    bound.access = tensor.access;
    bound.rank = tensor.rank;
    bool empty = false;
    for (int axis = 0; axis < tensor.rank; ++axis) {
      bound.extents[axis] = tensor.extents[axis];
      empty |= tensor.extents[axis] == 0;
      if (Status status = bindExtent(parameter, axis, tensor.extents[axis]); !status) {
        return status;
      }
    }
    if (Status status = bindStrides(parameter, tensor, empty, bound); !status) {
      return status;
    }
    if (!empty && !tensor.data) {
      return signature.launchError(&parameter, argumentText(parameter) + ": its address is null");
    }
    uintptr_t past = reinterpret_cast<uintptr_t>(tensor.data) % byteWidth(parameter.dtype);
    if (!empty && past) {
      return signature.launchError(&parameter,
                                   argumentText(parameter) + ": expected an address that is a multiple of " +
                                       std::to_string(byteWidth(parameter.dtype)) + " bytes, the size of " +
                                       std::string(name(parameter.dtype)) + ", got one " + std::to_string(past) +
                                       (past == 1 ? " byte past it" : " bytes past it"),
                                   "pass a copy");
    }
    sawTensor = true;
    sawElement |= !empty;
    binding.tensors.push_back(bound);
    return {};
  }

  Status bindDevice(const ParameterInfo &parameter, const TensorArgument &tensor) {
    if (place == ArraysOn::Anywhere) {
      return {};
    }
    if (place == ArraysOn::Host) {
      return bindInHostMemory(parameter, tensor);
    }
    if (tensor.deviceType != DeviceType::Cuda && tensor.deviceType != DeviceType::CudaManaged) {
      bool here = tensor.deviceType == DeviceType::Cpu || tensor.deviceType == DeviceType::CudaHost;
      return signature.launchError(&parameter,
                                   argumentText(parameter) + ": expected an array on a CUDA device, got one on " +
                                       deviceName(tensor.deviceType, tensor.deviceIndex),
                                   here ? "phobos.target(\"host\") runs kernels on the simulator, on such arrays" : "");
    }
    if (binding.device < 0) {
      binding.device = tensor.deviceIndex;
      deviceFrom = &parameter;
    } else if (binding.device != tensor.deviceIndex) {
      return signature.launchError(
          &parameter,
          argumentText(parameter) + ": expected an array on " + deviceName(DeviceType::Cuda, binding.device) +
              ", got one on " + deviceName(tensor.deviceType, tensor.deviceIndex),
          deviceFrom, argumentText(*deviceFrom) + " is on " + deviceName(DeviceType::Cuda, binding.device));
    }
    return {};
  }

  Status bindInHostMemory(const ParameterInfo &parameter, const TensorArgument &tensor) {
    if (tensor.deviceType == DeviceType::Cpu || tensor.deviceType == DeviceType::CudaHost) {
      binding.device = 0;
      return {};
    }
    std::string reason = whyNoCuda();
    return signature.launchError(
        &parameter,
        argumentText(parameter) + ": expected an array in this machine's memory, got one on " +
            deviceName(tensor.deviceType, tensor.deviceIndex),
        reason.empty() ? "the target is the host simulator; phobos.target(\"cuda\") runs kernels on the GPU"
                       : "kernels run on the host simulator, since there is no GPU: " + reason);
  }

  Status bindExtent(const ParameterInfo &parameter, int axis, int64_t extent) {
    const DimInfo &dim = parameter.dims[axis];
    if (dim.name.empty()) {
      bool fits = dim.extent == kUnknownExtent || dim.extent == extent;
      return fits ? Status() : extentError(signature, parameter, axis, extent);
    }
    int index = signature.dimIndex(dim.name);
    if (index < 0) {
      return {}; // sema lists every dim that a parameter names
    }
    if (binding.dims[index] < 0) {
      binding.dims[index] = extent;
      definedBy[index] = {&parameter, axis};
    } else if (binding.dims[index] != extent) {
      const auto &[other, otherAxis] = definedBy[index];
      std::string had = std::to_string(binding.dims[index]);
      return signature.launchError(&parameter,
                                   argumentText(parameter) + ": expected extent " + had + " along axis " +
                                       std::to_string(axis) + " (dim " + quoted(dim.name) + "), got " +
                                       std::to_string(extent),
                                   other,
                                   "dim " + quoted(dim.name) + " is " + had + " along axis " +
                                       std::to_string(otherAxis) + " of argument " + quoted(other->name));
    }
    return {};
  }

  Status bindStrides(const ParameterInfo &parameter, const TensorArgument &tensor, bool empty, BoundTensor &bound) {
    int64_t compact = 1;
    int64_t last = 0; // offset of the last element
    bool overflow = false;
    for (int axis = tensor.rank - 1; axis >= 0; --axis) {
      int64_t extent = tensor.extents[axis];
      int64_t stride = !tensor.strides || extent <= 1 || empty ? compact : tensor.strides[axis];
      if (stride < 0) {
        return signature.launchError(&parameter,
                                     argumentText(parameter) + ": expected strides of at least 0, got " +
                                         std::to_string(stride) + " along axis " + std::to_string(axis),
                                     "pass a contiguous copy");
      }
      bound.strides[axis] = stride;
      int64_t reach = 0;
      overflow |= __builtin_mul_overflow(std::max<int64_t>(extent - 1, 0), stride, &reach);
      overflow |= __builtin_add_overflow(last, reach, &last);
      overflow |= __builtin_mul_overflow(stride, std::max<int64_t>(extent, 1), &compact);
      binding.index64 |= extent > kMaxExtent32;
    }
    binding.index64 |= overflow || last > kMaxExtent32;
    return {};
  }

  const Signature &signature;
  const KernelInfo &info;
  const Argument *arguments;
  const ArraysOn place;
  Binding binding;
  std::vector<std::pair<const ParameterInfo *, int>> definedBy; // by dim: where its value is from
  const ParameterInfo *deviceFrom = nullptr;
  bool sawTensor = false, sawElement = false;
};

} // namespace

Result<Binding> bindArguments(const Signature &signature, const Argument *arguments, ArraysOn place) {
  return Binder(signature, arguments, place).run();
}

Status checkPromises(const Signature &signature, const Binding &binding, const Constants &constants) {
  for (const PromiseInfo &promise : signature.info().promises) {
    int index = signature.dimIndex(promise.dim);
    int64_t multiple = promise.multiple;
    if (!promise.constant.empty()) {
      const ConstantValue *value = findConstant(constants, promise.constant);
      multiple = value ? value->integer : 0;
    }
    if (index < 0 || multiple <= 0 || binding.dims[index] % multiple == 0) {
      continue;
    }
    const ParameterInfo *where = nullptr;
    for (const ParameterInfo &parameter : signature.info().parameters) {
      for (const DimInfo &dim : parameter.dims) {
        where = !where && dim.name == promise.dim ? &parameter : where;
      }
    }
    std::string constant = promise.constant.empty() ? "" : " (" + quoted(promise.constant) + ")";
    return signature.launchError(where,
                                 "argument " + quoted(where ? where->name : promise.dim) + ": expected dim " +
                                     quoted(promise.dim) + " to be a multiple of " + std::to_string(multiple) +
                                     constant + ", got " + std::to_string(binding.dims[index]),
                                 nullptr, "`@ph.aligned` promises it, and the kernel has no masks along it",
                                 "pad the array, or leave " + quoted(promise.dim) + " out of `@ph.aligned`");
  }
  return {};
}

namespace {

Status checkAccess(const Signature &signature, const ParameterInfo &parameter, Access access, SourcePlace store) {
  if (access == Access::Writable || !store.line) {
    return {};
  }
  bool readOnly = access == Access::ReadOnly;
  return signature.launchError(&parameter,
                               argumentText(parameter) + ": expected an array that may be stored to, got " +
                                   (readOnly ? "a read-only one" : "a tensor that requires grad"),
                               {"the kernel stores to it", signature.path(), store.line, store.column},
                               readOnly ? "pass a copy that may be written"
                                        : "pass `" + parameter.name + ".detach()`: autograd does not see the store");
}

} // namespace

Status checkExtents(const Signature &signature, const Binding &binding, const KernelInfo &prepared) {
  size_t next = 0;
  for (const ParameterInfo &parameter : prepared.parameters) {
    if (parameter.kind != ParameterInfo::Kind::Tensor) {
      continue;
    }
    const BoundTensor &tensor = binding.tensors[next++];
    for (size_t axis = 0; axis < parameter.dims.size(); ++axis) {
      const DimInfo &dim = parameter.dims[axis];
      if (dim.name.empty() && dim.extent != tensor.extents[axis]) {
        return extentError(signature, parameter, static_cast<int>(axis), tensor.extents[axis]);
      }
    }
  }
  return {};
}

Status checkPrepared(const Signature &signature, const Binding &binding, const PreparedKernel &prepared) {
  if (Status status = checkExtents(signature, binding, prepared.info()); !status) {
    return status;
  }
  size_t next = 0;
  for (const ParameterInfo &parameter : signature.info().parameters) {
    if (parameter.kind != ParameterInfo::Kind::Tensor) {
      continue;
    }
    if (Status status = checkAccess(signature, parameter, binding.tensors[next].access, prepared.stores()[next]);
        !status) {
      return status;
    }
    ++next;
  }
  return {};
}

std::string deviceName(DeviceType type, int index) {
  switch (type) {
  case DeviceType::Cpu:
    return "the CPU";
  case DeviceType::CudaHost:
    return "the CPU (pinned)";
  case DeviceType::Cuda:
  case DeviceType::CudaManaged:
    return "cuda:" + std::to_string(index);
  }
  return "DLPack device " + std::to_string(static_cast<int>(type)) + ":" + std::to_string(index);
}

const ConstantValue *findConstant(const Constants &constants, std::string_view name) {
  for (const auto &[key, value] : constants) {
    if (key == name) {
      return &value;
    }
  }
  return nullptr;
}

} // namespace phobos::runtime
