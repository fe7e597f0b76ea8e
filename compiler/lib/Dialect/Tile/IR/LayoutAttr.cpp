// `#tile.layout<register = [[…], …], lane = […], warp = […]>`: its text form.
#include "phobos/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace phobos::tile {
namespace {

ParseResult parseBases(AsmParser &parser, StringRef name, SmallVectorImpl<int32_t> &numbers,
                       std::optional<unsigned> &rank) {
  if (parser.parseKeyword(name) || parser.parseEqual()) {
    return failure();
  }
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    unsigned count = 0;
    SMLoc loc = parser.getCurrentLocation();
    auto number = [&]() -> ParseResult {
      int32_t value;
      if (parser.parseInteger(value)) {
        return failure();
      }
      numbers.push_back(value);
      ++count;
      return success();
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, number)) {
      return failure();
    }
    if (rank && *rank != count) {
      return parser.emitError(loc) << "expected a basis of " << *rank << " coordinates, got " << count;
    }
    rank = count;
    return success();
  });
}

void printBases(AsmPrinter &printer, StringRef name, ArrayRef<int32_t> numbers, unsigned rank) {
  printer << name << " = [";
  for (size_t i = 0; rank && i < numbers.size(); i += rank) {
    printer << (i ? ", [" : "[");
    llvm::interleaveComma(numbers.slice(i, rank), printer);
    printer << "]";
  }
  printer << "]";
}

} // namespace

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SmallVector<int32_t> registers, lanes, warps;
  std::optional<unsigned> rank;
  if (parser.parseLess() || parseBases(parser, "register", registers, rank) || parser.parseComma() ||
      parseBases(parser, "lane", lanes, rank) || parser.parseComma() || parseBases(parser, "warp", warps, rank) ||
      parser.parseGreater()) {
    return {};
  }
  return LayoutAttr::get(parser.getContext(), rank.value_or(0), registers, lanes, warps);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printBases(printer, "register", getRegisters(), getRank());
  printer << ", ";
  printBases(printer, "lane", getLanes(), getRank());
  printer << ", ";
  printBases(printer, "warp", getWarps(), getRank());
  printer << ">";
}

} // namespace phobos::tile
