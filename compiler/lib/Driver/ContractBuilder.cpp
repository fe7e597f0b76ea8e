// Numbers of the kernel op's arguments turned into numbers of the host's tables.
#include "ContractBuilder.h"

#include "phobos/Conversion/EntryParameters.h"
#include "phobos/Dialect/Dot/Transforms/Passes.h"

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
  contract.threads = kernel.getThreads();
  if (auto bytes = kernel->getAttrOfType<mlir::IntegerAttr>(dot::kSharedBytesAttr)) {
    contract.sharedBytes = bytes.getInt();
  }
  unsigned indexBytes = kernel.getIndexBits() / 8;
  ArgumentMap map(info);
  for (const lowering::EntryArgument &argument : lowering::entryParameters(kernel)) {
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
    }
    contract.parameters.push_back(entry);
  }
  return contract;
}

} // namespace phobos::driver
