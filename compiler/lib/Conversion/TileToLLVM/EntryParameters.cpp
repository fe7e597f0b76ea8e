// The order of an entry point's parameters.
#include "phobos/Conversion/EntryParameters.h"

#include "phobos/Dialect/Dot/IR/Dot.h"
#include "phobos/Dialect/Dot/Transforms/Passes.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace phobos::lowering {

SmallVector<EntryArgument> entryParameters(tile::KernelOp kernel) {
  SmallVector<EntryArgument> pointers, extents, strides, scalars, maps;
  llvm::StringSet<> dims;
  for (BlockArgument argument : kernel.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto view = dyn_cast<tile::ViewType>(argument.getType());
    if (isa<dot::TensorMapType>(argument.getType())) {
      maps.push_back({EntryArgument::Kind::TensorMap, number});
      continue;
    }
    if (!view) {
      scalars.push_back({EntryArgument::Kind::Scalar, number});
      continue;
    }
    pointers.push_back({EntryArgument::Kind::Pointer, number});
    for (unsigned axis = 0; axis < view.getRank(); ++axis) {
      StringRef name = kernel.dimName(argument, axis);
      if (ShapedType::isDynamic(view.getShape()[axis]) && (name.empty() || dims.insert(name).second)) {
        extents.push_back({EntryArgument::Kind::Extent, number, axis});
      }
      if (view.getStrides()[axis] < 0) {
        strides.push_back({EntryArgument::Kind::Stride, number, axis});
      }
    }
  }
  SmallVector<EntryArgument> all;
  for (const auto &part : {pointers, extents, strides, scalars, maps}) {
    llvm::append_range(all, part);
  }
  for (unsigned axis = 0; axis < 3 && kernel->hasAttr(tile::kPersistentAttr); ++axis) {
    all.push_back({EntryArgument::Kind::Grid, 0, axis});
  }
  if (kernel->hasAttr(tile::kQueueAttr) || kernel.meetsGrid()) {
    all.push_back({EntryArgument::Kind::Counters, 0});
  }
  return all;
}

unsigned ctaThreads(tile::KernelOp kernel) {
  bool producer = kernel->hasAttr(dot::kSpecializedAttr);
  return kernel.getThreads() + (producer ? dot::kProducerThreads : 0);
}

} // namespace phobos::lowering
