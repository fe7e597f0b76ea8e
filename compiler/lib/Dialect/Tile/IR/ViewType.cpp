// `!tile.view<?x64xf16, strides = [8*?, 1], align = 16>`: its text form.
#include "phobos/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace phobos::tile {

ViewType ViewType::get(ArrayRef<int64_t> shape, Type elementType) {
  SmallVector<int64_t> strides(shape.size(), -1);
  return get(elementType.getContext(), shape, elementType, strides, 1);
}

static ParseResult parseStride(AsmParser &parser, SmallVectorImpl<int64_t> &strides) {
  int64_t value = 1;
  OptionalParseResult number = parser.parseOptionalInteger(value);
  if (number.has_value()) {
    if (failed(*number)) {
      return failure();
    }
    if (failed(parser.parseOptionalStar())) {
      if (value != 0 && value != 1) {
        return parser.emitError(parser.getCurrentLocation()) << "expected stride 0, 1, ? or n*?, got " << value;
      }
      strides.push_back(value);
      return success();
    }
    if (value < 1) {
      return parser.emitError(parser.getCurrentLocation()) << "expected a positive factor, got " << value;
    }
  }
  strides.push_back(-value);
  return parser.parseQuestion();
}

Type ViewType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, strides;
  Type element;
  unsigned align = 1;
  if (parser.parseLess() || parser.parseDimensionList(shape) || parser.parseType(element)) {
    return {};
  }
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("align"))) {
      if (parser.parseEqual() || parser.parseInteger(align)) {
        return {};
      }
      continue;
    }
    if (parser.parseKeyword("strides") || parser.parseEqual() ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] { return parseStride(parser, strides); })) {
      return {};
    }
  }
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseGreater()) {
    return {};
  }
  if (strides.empty()) {
    strides.assign(shape.size(), -1);
  }
  if (strides.size() != shape.size()) {
    parser.emitError(loc) << "expected " << shape.size() << " strides, got " << strides.size();
    return {};
  }
  return get(parser.getContext(), shape, element, strides, align);
}

void ViewType::print(AsmPrinter &printer) const {
  printer << "<";
  for (int64_t extent : getShape()) {
    if (ShapedType::isDynamic(extent)) {
      printer << "?x";
    } else {
      printer << extent << "x";
    }
  }
  printer << getElementType();
  if (!llvm::all_of(getStrides(), [](int64_t s) { return s == -1; })) {
    printer << ", strides = [";
    llvm::interleaveComma(getStrides(), printer, [&](int64_t stride) {
      if (stride >= 0) {
        printer << stride;
      } else if (stride == -1) {
        printer << "?";
      } else {
        printer << -stride << "*?";
      }
    });
    printer << "]";
  }
  if (getAlign() != 1) {
    printer << ", align = " << getAlign();
  }
  printer << ">";
}

} // namespace phobos::tile
