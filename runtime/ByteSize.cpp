// A number and its unit.
#include "ByteSize.h"

#include <charconv>

namespace phobos::runtime {

std::optional<uint64_t> parseSize(std::string_view text) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit = text.substr(end - text.data());
  unsigned shift = unit.empty() || unit == "B"                  ? 0
                   : unit == "K" || unit == "KB" || unit == "k" ? 10
                   : unit == "M" || unit == "MB" || unit == "m" ? 20
                   : unit == "G" || unit == "GB" || unit == "g" ? 30
                                                                : 64;
  if (error != std::errc() || shift == 64 || value > UINT64_MAX >> shift) {
    return std::nullopt;
  }
  return value << shift;
}

} // namespace phobos::runtime
