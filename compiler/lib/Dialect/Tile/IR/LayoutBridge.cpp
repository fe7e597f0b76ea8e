// Between the IR's layout attribute and the layout algebra.
#include "phobos/Dialect/Tile/IR/LayoutBridge.h"

using namespace mlir;
using phobos::layout::Coords;
using phobos::layout::In;
using phobos::layout::LinearLayout;

namespace phobos::tile {

static SmallVector<Coords> basesOf(ArrayRef<int32_t> numbers, unsigned rank) {
  SmallVector<Coords> bases;
  for (size_t i = 0; rank && i < numbers.size(); i += rank) {
    bases.emplace_back(numbers.begin() + i, numbers.begin() + i + rank);
  }
  return bases;
}

static SmallVector<int32_t> numbersOf(const LinearLayout &layout, In in) {
  SmallVector<int32_t> numbers;
  for (const Coords &basis : layout.bases(in)) {
    numbers.append(basis.begin(), basis.end());
  }
  return numbers;
}

LinearLayout layoutOf(RankedTensorType type) {
  auto attr = cast<LayoutAttr>(type.getEncoding());
  unsigned rank = attr.getRank();
  return LinearLayout(paddedShape(type), basesOf(attr.getRegisters(), rank), basesOf(attr.getLanes(), rank),
                      basesOf(attr.getWarps(), rank));
}

LayoutAttr attributeOf(MLIRContext *context, const LinearLayout &layout) {
  return LayoutAttr::get(context, layout.rank(), numbersOf(layout, In::Register), numbersOf(layout, In::Lane),
                         numbersOf(layout, In::Warp));
}

RankedTensorType withLayout(RankedTensorType type, const LinearLayout &layout) {
  return RankedTensorType::get(type.getShape(), type.getElementType(), attributeOf(type.getContext(), layout));
}

SmallVector<int32_t, 4> paddedShape(RankedTensorType type) { return layout::paddedShape(type.getShape()); }

unsigned elementBits(Type element) { return element.isIndex() ? 64 : std::max(element.getIntOrFloatBitWidth(), 8u); }

} // namespace phobos::tile
