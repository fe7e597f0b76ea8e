// Numbers of the kernel op's arguments turned into numbers of the host's tables.
#include "ContractBuilder.h"

#include "phobos/Conversion/EntryParameters.h"
#include "phobos/Conversion/Lowering.h"
#include "phobos/Dialect/Dot/Transforms/Passes.h"
#include "phobos/Dialect/Tile/IR/Divisibility.h"

namespace phobos::driver {
namespace {

/// By argument of the kernel op: the parameter that it is. Tensors come first, then scalars (IRGen.h).
struct ArgumentMap {
  explicit ArgumentMap(const KernelInfo &info) {
    for (auto kind : {ParameterInfo::Kind::Tensor, ParameterInfo::Kind::Scalar}) {
      for (size_t i = 0; i < info.parameters.size(); ++i) {
        if (info.parameters[i].kind == kind) {
          parameters.push_back(i);
        }
      }
    }
  }
  std::vector<size_t> parameters;
};

/// A map's argument names its view's; the axis is the one whose box is a row of the swizzle.
EntryParameter tensorMapEntry(tile::KernelOp kernel, unsigned argument) {
  auto type = mlir::cast<dot::TensorMapType>(kernel.getArgument(argument).getType());
  unsigned view = kernel.getArgAttrOfType<mlir::IntegerAttr>(argument, dot::kMapOfAttr).getInt();
  EntryParameter entry;
  entry.kind = EntryParameter::Kind::TensorMap;
  entry.index = view; // tensors are the first arguments
  entry.axis = *tile::unitDim(mlir::cast<tile::ViewType>(kernel.getArgument(view).getType()));
  entry.bytes = lowering::kTensorMapBytes;
  entry.box.assign(type.getBox().begin(), type.getBox().end());
  entry.swizzle = type.getSwizzleBytes();
  entry.tf32 = type.getElementType().isTF32();
  return entry;
}

} // namespace

KernelContract buildContract(const PreparedKernelImpl &prepared, const Specialisation &specialisation,
                             mlir::ModuleOp module, llvm::StringRef chip) {
  const KernelInfo &info = prepared.info();
  auto kernel = *module.getOps<tile::KernelOp>().begin();
  KernelContract contract;
  contract.entry = kernel.getSymName().str();
  contract.chip = chip.str();
  contract.kernel = info;
  contract.constants = prepared.constants();
  contract.specialisation = specialisation;
  contract.threads = lowering::ctaThreads(kernel);
  contract.persistent = kernel->hasAttr(tile::kPersistentAttr);
  if (auto cluster = kernel->getAttrOfType<mlir::DenseI32ArrayAttr>(tile::kClusterAttr)) {
    std::copy_n(cluster.asArrayRef().begin(), 2, contract.cluster);
  }
  contract.cooperative = kernel.meetsGrid();
  contract.dependent = kernel->hasAttr(tile::kDependentAttr);
  if (auto bytes = kernel->getAttrOfType<mlir::IntegerAttr>(dot::kSharedBytesAttr)) {
    contract.sharedBytes = bytes.getInt();
  }
  kernel.walk([&](tile::AssertOp) { contract.asserts = true; });
  unsigned indexBytes = kernel.getIndexBits() / 8;
  ArgumentMap map(info);
  for (const lowering::EntryArgument &argument : lowering::entryParameters(kernel)) {
    if (argument.kind == lowering::EntryArgument::Kind::TensorMap) {
      contract.parameters.push_back(tensorMapEntry(kernel, argument.argument));
      continue;
    }
    if (argument.kind == lowering::EntryArgument::Kind::Grid) {
      EntryParameter entry;
      entry.kind = EntryParameter::Kind::Grid;
      entry.axis = argument.axis;
      entry.bytes = 4;
      contract.parameters.push_back(entry);
      continue;
    }
    if (argument.kind == lowering::EntryArgument::Kind::Counters) {
      EntryParameter entry;
      entry.kind = EntryParameter::Kind::Counters;
      contract.parameters.push_back(entry);
      continue;
    }
    size_t index = map.parameters[argument.argument];
    const ParameterInfo &parameter = info.parameters[index];
    EntryParameter entry;
    entry.axis = argument.axis;
    switch (argument.kind) {
    case lowering::EntryArgument::Kind::Pointer:
      entry.kind = EntryParameter::Kind::Pointer;
      entry.index = argument.argument; // tensors are the first arguments
      entry.bytes = 8;
      break;
    case lowering::EntryArgument::Kind::Extent:
      entry.kind = EntryParameter::Kind::Extent;
      entry.index = llvm::find(info.dims, parameter.dims[argument.axis].name) - info.dims.begin();
      entry.axis = 0;
      entry.bytes = indexBytes;
      break;
    case lowering::EntryArgument::Kind::Stride:
      entry.kind = EntryParameter::Kind::Stride;
      entry.index = argument.argument;
      entry.bytes = 8;
      break;
    case lowering::EntryArgument::Kind::Scalar:
      entry.kind = EntryParameter::Kind::Scalar;
      entry.index = index;
      entry.bytes = byteWidth(parameter.dtype);
      break;
    case lowering::EntryArgument::Kind::TensorMap:
    case lowering::EntryArgument::Kind::Grid:
    case lowering::EntryArgument::Kind::Counters:
      llvm_unreachable("handled above");
    }
    contract.parameters.push_back(entry);
  }
  return contract;
}

} // namespace phobos::driver
