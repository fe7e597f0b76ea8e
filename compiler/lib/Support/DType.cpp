// The table of scalar types, looked up.
#include "phobos/Support/DType.h"

#include <array>

namespace phobos {
namespace {
struct Row {
  std::string_view name;
  uint8_t bits;
  DTypeKind kind;
  uint8_t dlcode;
};
constexpr std::array kRows = {
#define PHOBOS_DTYPE(name, bits, kind, dlcode) Row{#name, bits, DTypeKind::kind, dlcode},
#include "phobos/Support/DTypes.def"
};
const Row &row(DType type) { return kRows[static_cast<size_t>(type)]; }
} // namespace

unsigned bitWidth(DType type) { return row(type).bits; }
DTypeKind kindOf(DType type) { return row(type).kind; }
uint8_t dlpackCode(DType type) { return row(type).dlcode; }
// `bool` is a keyword of C++, not of the kernel language.
std::string_view name(DType type) { return type == DType::boolean ? "bool" : row(type).name; }

std::optional<DType> parseDType(std::string_view text) {
  for (size_t i = 0; i < kRows.size(); ++i) {
    if (name(static_cast<DType>(i)) == text) {
      return static_cast<DType>(i);
    }
  }
  return std::nullopt;
}

} // namespace phobos
