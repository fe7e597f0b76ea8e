// `!dot.stage<2 x 64x32xf16, order = [1, 0], swizzle>`: its text form and size.
#include "phobos/Dialect/Dot/IR/Dot.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace phobos::dot {

Type StageType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  SmallVector<int32_t> order;
  Type element;
  int64_t slots = 0;
  unsigned pad = 0, panels = 0;
  bool swizzled = false;
  auto number = [&] { return parser.parseInteger(order.emplace_back()); };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseInteger(slots) || parser.parseKeyword("x") ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(element) || parser.parseComma() ||
      parser.parseKeyword("order") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, number)) {
    return {};
  }
  if (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("swizzle"))) {
      swizzled = true;
    } else if (succeeded(parser.parseOptionalKeyword("panels"))) {
      if (parser.parseEqual() || parser.parseInteger(panels)) {
        return {};
      }
    } else if (parser.parseKeyword("pad") || parser.parseEqual() || parser.parseInteger(pad)) {
      return {};
    }
  }
  if (parser.parseGreater()) {
    return {};
  }
  if (slots < 1 || order.size() != shape.size()) {
    parser.emitError(loc) << "expected at least one slot and an order of " << shape.size() << " dimensions";
    return {};
  }
  return get(parser.getContext(), slots, shape, element, order, swizzled, pad, panels);
}

void StageType::print(AsmPrinter &printer) const {
  printer << "<" << getSlots() << " x ";
  for (int64_t extent : getShape()) {
    printer << extent << "x";
  }
  printer << getElementType() << ", order = [";
  llvm::interleaveComma(getOrder(), printer);
  printer << "]";
  if (getSwizzled()) {
    printer << ", swizzle";
  } else if (getPanelBytes()) {
    printer << ", panels = " << getPanelBytes();
  } else if (getPadBytes()) {
    printer << ", pad = " << getPadBytes();
  }
  printer << ">";
}

unsigned StageType::elementBits() const { return std::max(getElementType().getIntOrFloatBitWidth(), 8u); }

uint64_t StageType::slotBytes() const {
  uint64_t row = 0, rows = 1;
  for (auto [i, dim] : llvm::enumerate(getOrder())) {
    uint64_t extent = llvm::PowerOf2Ceil(getShape()[dim]);
    if (i == 0) {
      row = extent * elementBits() / 8 + getPadBytes();
    } else {
      rows *= extent;
    }
  }
  return row * rows;
}

StageType StageType::withSlots(unsigned slots) const {
  return get(getContext(), slots, getShape(), getElementType(), getOrder(), getSwizzled(), getPadBytes(),
             getPanelBytes());
}

} // namespace phobos::dot
