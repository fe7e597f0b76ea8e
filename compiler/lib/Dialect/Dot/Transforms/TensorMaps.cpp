// Tensor maps as arguments of the kernel, and the stages that they fill.
#include "TensorMaps.h"

#include "phobos/Dialect/Dot/Transforms/Passes.h"
#include "phobos/Dialect/Tile/IR/Divisibility.h"
#include "phobos/Dialect/Tile/IR/LayoutBridge.h"

using namespace mlir;

namespace phobos::dot {

// Rows of 128 bytes are the fastest; 64 cost 20 %, 32 more than half.
constexpr int64_t kMaxPanelBytes = 128, kMinRowBytes = 32;
constexpr int64_t kMaxBox = 256;
constexpr unsigned kStartBytes = 16;

bool suitsTma(TypedValue<tile::ViewType> value, ValueRange offsets, RankedTensorType tile) {
  tile::ViewType view = value.getType();
  auto unit = tile::unitDim(view);
  int64_t bytes = tile::elementBits(view.getElementType()) / 8;
  // A row that begins elsewhere is an illegal instruction.
  bool matrix = llvm::count_if(tile.getShape(), [](int64_t extent) { return extent > 1; }) == 2;
  if (!unit || !matrix || tile::alignedBytes(value, offsets) < kStartBytes) {
    return false;
  }
  for (unsigned dim = 0; dim < view.getRank(); ++dim) {
    bool pitch = dim == *unit || (view.strideDivisor(dim) * bytes % 16 == 0 && !view.isZeroStride(dim));
    int64_t extent = tile.getShape()[dim];
    // Along the unit dimension there is a box a panel.
    if (!pitch || !llvm::isPowerOf2_64(extent) || extent > kMaxBox * (dim == *unit ? 64 : 1)) {
      return false;
    }
  }
  return tile.getShape()[*unit] * bytes >= kMinRowBytes;
}

Value viewOf(TypedValue<TensorMapType> map) {
  auto argument = cast<BlockArgument>(Value(map));
  auto kernel = cast<tile::KernelOp>(argument.getOwner()->getParentOp());
  return kernel.getArgument(kernel.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), kMapOfAttr).getInt());
}

TypedValue<TensorMapType> tensorMap(tile::KernelOp kernel, Value view, TensorMapType type) {
  unsigned number = cast<BlockArgument>(view).getArgNumber();
  for (BlockArgument argument : kernel.getArguments()) {
    auto of = kernel.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), kMapOfAttr);
    if (of && of.getInt() == number && argument.getType() == type) {
      return cast<TypedValue<TensorMapType>>(Value(argument));
    }
  }
  Builder b(kernel.getContext());
  auto attributes = b.getDictionaryAttr(b.getNamedAttr(kMapOfAttr, b.getI32IntegerAttr(number)));
  unsigned last = kernel.getNumArguments();
  (void)kernel.insertArgument(last, type, attributes, view.getLoc());
  return cast<TypedValue<TensorMapType>>(Value(kernel.getArgument(last)));
}

TmaTile allocTmaTile(OpBuilder &entry, Location loc, tile::KernelOp kernel, TypedValue<tile::ViewType> view,
                     RankedTensorType tile, Type read) {
  unsigned unit = *tile::unitDim(view.getType());
  int64_t bytes = tile::elementBits(tile.getElementType()) / 8;
  int64_t panel = std::min(kMaxPanelBytes, tile.getShape()[unit] * bytes);
  SmallVector<int64_t> box(tile.getShape());
  box[unit] = panel / bytes;
  auto mapType = TensorMapType::get(entry.getContext(), box, read, panel);
  auto dims = mapType.getTileDims();
  auto shape = llvm::map_to_vector(dims, [&](unsigned dim) { return tile.getShape()[dim]; });
  int32_t fast = unit == dims[1];
  auto type = StageType::get(entry.getContext(), 1, shape, tile.getElementType(), {fast, 1 - fast},
                             /*swizzled=*/false, /*padBytes=*/0, panel);
  return {AllocOp::create(entry, loc, type, IntegerAttr()).getStage(), tensorMap(kernel, view, mapType)};
}

} // namespace phobos::dot
