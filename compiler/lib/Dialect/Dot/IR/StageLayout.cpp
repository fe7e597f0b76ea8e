// Between the ops on stages and the layout algebra.
#include "phobos/Dialect/Dot/IR/StageLayout.h"

#include "phobos/Dialect/Tile/IR/LayoutBridge.h"
#include "phobos/Layout/Algebra.h"

namespace phobos::dot {

layout::SharedLayout sharedLayoutOf(StageType stage) {
  layout::Coords shape = layout::paddedShape(stage.getShape());
  llvm::SmallVector<unsigned> order(stage.getOrder().begin(), stage.getOrder().end());
  if (stage.getPanelBytes()) {
    return layout::SharedLayout::panels(shape, stage.elementBits(), order, stage.getPanelBytes());
  }
  if (stage.getSwizzled()) {
    return layout::SharedLayout::swizzled(shape, stage.elementBits(), order);
  }
  unsigned pitch = stage.getPadBytes() ? shape[order[0]] * stage.elementBits() / 8 + stage.getPadBytes() : 0;
  return layout::SharedLayout::plain(shape, stage.elementBits(), order, pitch);
}

layout::LinearLayout storedLayoutOf(StoreAsyncOp store) {
  layout::LinearLayout layout = tile::layoutOf(store.getValue());
  return store.getTransposed() ? layout::transpose(layout, {1, 0}) : layout;
}

} // namespace phobos::dot
