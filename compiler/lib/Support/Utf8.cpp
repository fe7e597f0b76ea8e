// UTF-8 in and out; see the header.
#include "phobos/Support/Utf8.h"

namespace phobos {

CodePoint decodeUtf8(llvm::StringRef text, size_t offset) {
  constexpr CodePoint kBad{CodePoint::kInvalid, 1};
  auto byte = [&](size_t i) -> uint32_t {
    return offset + i < text.size() ? static_cast<unsigned char>(text[offset + i]) : 0;
  };
  uint32_t lead = byte(0);
  if (lead < 0x80) {
    return {lead, 1};
  }
  unsigned length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) {
    return kBad;
  }
  uint32_t value = lead & (0x7F >> length);
  for (unsigned i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) {
      return kBad;
    }
    value = value << 6 | (byte(i) & 0x3F);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kSmallest[length] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) {
    return kBad;
  }
  return {value, length};
}

void appendUtf8(std::string &out, uint32_t value) {
  auto put = [&](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  auto tail = [&](unsigned shift) { put(0x80 | ((value >> shift) & 0x3F)); };
  if (value < 0x80) {
    put(value);
  } else if (value < 0x800) {
    put(0xC0 | value >> 6);
    tail(0);
  } else if (value < 0x10000) {
    put(0xE0 | value >> 12);
    tail(6);
    tail(0);
  } else {
    put(0xF0 | value >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

} // namespace phobos
