// Sizes as the environment gives them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace phobos::runtime {

/// "4096", "64K", "16M", "1G", with or without a B; nothing for any other text.
std::optional<uint64_t> parseSize(std::string_view text);
/// What to say of a text that is none.
inline constexpr const char *kExpectedSize = "expected a number of bytes, or one with K, M or G";

} // namespace phobos::runtime
