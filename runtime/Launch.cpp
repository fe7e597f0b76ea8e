// Parameter blocks and launches. launchPlan() allocates nothing.
#include "phobos/runtime/Launch.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <tuple>

namespace phobos::runtime {
namespace {

// What cuLaunchKernel takes on every chip in the table.
constexpr size_t kMaxBlockBytes = 4096;
constexpr size_t kMaxEntries = 512;
constexpr int64_t kMaxGridX = 0x7FFFFFFF;
constexpr int64_t kMaxGridYZ = 65535;

Error tooLarge(const Signature &signature, const char *what, size_t got, size_t most) {
  return signature.launchError(nullptr, "kernel `" + signature.info().name + "` has " + std::to_string(got) + " " +
                                            what + "; expected at most " + std::to_string(most));
}

bool isEmpty(const BoundTensor &tensor) {
  return std::find(tensor.extents.begin(), tensor.extents.begin() + tensor.rank, 0) !=
         tensor.extents.begin() + tensor.rank;
}

/// The tensor whose address stands for that of tensor `index`: itself, or if it has no element the first that has.
/// Nothing is launched where none has.
size_t addressOf(const Binding &binding, size_t index) {
  if (!isEmpty(binding.tensors[index])) {
    return index;
  }
  auto found = std::find_if_not(binding.tensors.begin(), binding.tensors.end(), isEmpty);
  return found == binding.tensors.end() ? index : found - binding.tensors.begin();
}

/// What is not there may lie anywhere; every access that a kernel was compiled for is aligned to at most this.
constexpr uintptr_t kStandInAlign = 16;
const void *standIn(const void *address) {
  return reinterpret_cast<const void *>(reinterpret_cast<uintptr_t>(address) & ~(kStandInAlign - 1));
}

/// The axis of stride 1 first, then the others from the last to the first, as the kernel counts coordinates.
TensorMapShape tensorMapShape(const EntryParameter &entry, const BoundTensor &tensor, DType dtype) {
  TensorMapShape shape;
  shape.dtype = dtype;
  shape.swizzleBytes = entry.swizzle;
  shape.tf32 = entry.tf32;
  size_t rank = entry.box.size();
  std::vector<size_t> order = {entry.axis};
  for (size_t axis = rank; axis-- > 0;) {
    if (axis != entry.axis) {
      order.push_back(axis);
    }
  }
  for (size_t axis : order) {
    shape.extents.push_back(
        std::max<uint64_t>(1, tensor.extents[axis])); // nothing is read of an empty one, but a map it must have
    shape.box.push_back(entry.box[axis]);
    if (axis != entry.axis) {
      shape.strideBytes.push_back(static_cast<uint64_t>(tensor.strides[axis]) * byteWidth(dtype));
    }
  }
  return shape;
}

} // namespace

Result<std::shared_ptr<Plan>> makePlan(const Signature &signature, const Binding &binding, const Variant &variant,
                                       Device &device, const Function &function) {
  auto plan = std::make_shared<Plan>();
  plan->device = &device;
  plan->function = function;
  plan->dims = binding.dims;
  plan->constants = variant.constants;
  std::copy_n(variant.contract.cluster, 2, plan->cluster);

  const std::vector<ParameterInfo> &parameters = signature.info().parameters;
  std::vector<uint16_t> tensorParameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].kind == ParameterInfo::Kind::Tensor) {
      tensorParameters.push_back(static_cast<uint16_t>(i));
    }
  }
  size_t size = 0;
  for (const EntryParameter &entry : variant.contract.parameters) {
    size_t offset = (size + entry.bytes - 1) / entry.bytes * entry.bytes;
    size = offset + entry.bytes;
    if (size > kMaxBlockBytes) {
      return tooLarge(signature, "bytes of parameters", size, kMaxBlockBytes);
    }
    plan->block.resize(size);
    ParameterSlot slot;
    slot.offset = static_cast<uint16_t>(offset);
    int64_t value = 0;
    switch (entry.kind) {
    case EntryParameter::Kind::Pointer:
      slot.from = isEmpty(binding.tensors[entry.index]) ? ParameterSlot::From::StandIn : ParameterSlot::From::Pointer;
      slot.argument = tensorParameters[addressOf(binding, entry.index)];
      break;
    case EntryParameter::Kind::Extent:
      value = binding.dims[entry.index];
      break;
    case EntryParameter::Kind::Stride:
      value = binding.tensors[entry.index].strides[entry.axis];
      break;
    case EntryParameter::Kind::TensorMap:
      slot.from = ParameterSlot::From::TensorMap;
      slot.argument = tensorParameters[addressOf(binding, entry.index)];
      slot.map = static_cast<uint16_t>(plan->maps.size());
      plan->maps.push_back(
          tensorMapShape(entry, binding.tensors[entry.index], parameters[tensorParameters[entry.index]].dtype));
      break;
    case EntryParameter::Kind::Grid:
      slot.from = ParameterSlot::From::Grid;
      slot.argument = static_cast<uint16_t>(entry.axis);
      break;
    case EntryParameter::Kind::Counters:
      slot.from = ParameterSlot::From::Counters;
      break;
    case EntryParameter::Kind::Scalar:
      slot.from = ParameterSlot::From::Scalar;
      slot.argument = static_cast<uint16_t>(entry.index);
      slot.dtype = parameters[entry.index].dtype;
      break;
    }
    std::memcpy(plan->block.data() + offset, &value, std::min<size_t>(entry.bytes, sizeof value)); // little-endian
    plan->slots.push_back(slot);
  }
  if (plan->slots.size() > kMaxEntries) {
    return tooLarge(signature, "parameters", plan->slots.size(), kMaxEntries);
  }
  return plan;
}

Status checkGrid(const Signature &signature, const Grid &grid) {
  struct Axis {
    const char *name;
    int64_t blocks, most;
  };
  for (const Axis &axis :
       {Axis{"x", grid.x, kMaxGridX}, Axis{"y", grid.y, kMaxGridYZ}, Axis{"z", grid.z, kMaxGridYZ}}) {
    if (axis.blocks < 0 || axis.blocks > axis.most) {
      return signature.launchError(
          nullptr,
          "grid of kernel `" + signature.info().name + "`: expected 0 to " + std::to_string(axis.most) +
              " blocks along " + axis.name + ", got " + std::to_string(axis.blocks),
          axis.blocks < 0 || axis.name[0] == 'x'
              ? ""
              : "put the longest axis of the grid first: x takes " + std::to_string(kMaxGridX));
    }
  }
  return {};
}

static Status checkClusters(const Signature &signature, const Plan &plan, const Grid &grid) {
  for (auto [axis, blocks, multiple] :
       {std::tuple('x', grid.x, plan.cluster[0]), std::tuple('y', grid.y, plan.cluster[1])}) {
    if (blocks % multiple) {
      return signature.launchError(nullptr,
                                   "grid of kernel `" + signature.info().name + "`: expected a multiple of " +
                                       std::to_string(multiple) + " blocks along " + axis +
                                       ", which `@ph.cluster` asks for, got " + std::to_string(blocks),
                                   "blocks beyond the tensors read zeros and store nothing: round the grid up");
    }
  }
  return {};
}

/// Blocks that wait for each other are all there at once.
static Status checkWaiting(const Signature &signature, const Plan &plan, const Grid &grid) {
  int64_t blocks = grid.x * grid.y * grid.z, most = plan.function.mostBlocks;
  if (blocks <= most) {
    return {};
  }
  return signature.launchError(nullptr,
                               "grid of kernel `" + signature.info().name + "`: expected at most " +
                                   std::to_string(most) + " blocks, which the device holds at once, got " +
                                   std::to_string(blocks),
                               "blocks wait for each other at ph.grid_barrier: launch fewer, each with a loop over its "
                               "tiles");
}

Status launchPlan(const Signature &signature, const Plan &plan, const Argument *arguments, const Grid &grid,
                  void *stream) {
  auto outside = [](int64_t blocks, int64_t most) {
    return static_cast<uint64_t>(blocks) > static_cast<uint64_t>(most);
  };
  if (outside(grid.x, kMaxGridX) || outside(grid.y, kMaxGridYZ) || outside(grid.z, kMaxGridYZ)) [[unlikely]] {
    return checkGrid(signature, grid);
  }
  if (plan.empty || grid.empty()) {
    return {};
  }
  if (plan.cluster[0] * plan.cluster[1] > 1) [[unlikely]] {
    if (Status status = checkClusters(signature, plan, grid); !status) {
      return status;
    }
  }
  if (plan.function.mostBlocks) [[unlikely]] {
    if (Status status = checkWaiting(signature, plan, grid); !status) {
      return status;
    }
  }
  assert(plan.block.size() <= kMaxBlockBytes && plan.slots.size() <= kMaxEntries);
  alignas(kTensorMapBytes) unsigned char block[kMaxBlockBytes];
  void *pointers[kMaxEntries];
  std::memcpy(block, plan.block.data(), plan.block.size());
  void **next = pointers;
  for (const ParameterSlot &slot : plan.slots) {
    unsigned char *at = block + slot.offset;
    *next++ = at;
    switch (slot.from) {
    case ParameterSlot::From::Block:
      break;
    case ParameterSlot::From::Pointer:
      std::memcpy(at, &arguments[slot.argument].tensor.data, sizeof(void *));
      break;
    case ParameterSlot::From::StandIn: {
      const void *address = standIn(arguments[slot.argument].tensor.data);
      std::memcpy(at, &address, sizeof address);
      break;
    }
    case ParameterSlot::From::TensorMap: {
      const void *address =
          standIn(arguments[slot.argument].tensor.data); // its own is aligned: the kernel was compiled for that
      if (Status status = plan.device->encodeTensorMap(plan.maps[slot.map], address, at); !status) [[unlikely]] {
        return signature.launchError(&signature.info().parameters[slot.argument], status.error().text);
      }
      break;
    }
    case ParameterSlot::From::Grid: {
      auto blocks = static_cast<int32_t>(slot.argument == 0 ? grid.x : slot.argument == 1 ? grid.y : grid.z);
      std::memcpy(at, &blocks, sizeof blocks);
      break;
    }
    case ParameterSlot::From::Counters: {
      auto counters = plan.device->counters(stream);
      if (!counters) [[unlikely]] {
        return signature.launchError(nullptr, counters.error().text);
      }
      void *address = *counters;
      std::memcpy(at, &address, sizeof address);
      break;
    }
    case ParameterSlot::From::Scalar:
      if (!tryPackScalar(slot.dtype, arguments[slot.argument].scalar, at)) [[unlikely]] {
        return packScalar(signature, signature.info().parameters[slot.argument], arguments[slot.argument].scalar, at);
      }
      break;
    }
  }
  Grid launched = grid;
  if (int64_t residents = plan.function.residents) {
    // The kernel counts blocks in 32 bits, one step past the last; y and z are at most 65535.
    if (grid.y * grid.z > (kMaxGridX - residents) / grid.x) [[unlikely]] {
      return signature.launchError(nullptr, "grid of persistent kernel `" + signature.info().name +
                                                "`: expected at most " + std::to_string(kMaxGridX - residents) +
                                                " blocks in all");
    }
    launched = {std::min(residents, grid.x * grid.y * grid.z), 1, 1};
  }
  Status status = plan.device->launch(plan.function, launched, stream, pointers, {signature, arguments});
  if (!status) [[unlikely]] {
    if (status.error().kind != Error::Kind::Launch) {
      return status; // its text is complete
    }
    // What the driver said; what else there is to say follows the place.
    std::string said = status.error().text, rest;
    if (size_t end = said.find('\n'); end != std::string::npos) {
      rest = said.substr(end + 1) + "\n";
      said.resize(end);
    }
    Error error = signature.launchError(nullptr, "launch of kernel `" + signature.info().name + "` failed: " + said);
    error.text += rest;
    return error;
  }
  return status;
}

} // namespace phobos::runtime
