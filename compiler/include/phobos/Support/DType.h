// The scalar types of the kernel language, by one table: name, bits, class, DLPack code.
// Shared by sema, the IR builder, the contract beside a cubin and the runtime's argument check.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace phobos {

enum class DType : uint8_t {
#define PHOBOS_DTYPE(name, bits, kind, dlcode) name,
#include "phobos/Support/DTypes.def"
};

/// How a scalar type computes; decides promotion and which instructions serve it.
enum class DTypeKind : uint8_t { Bool, Signed, Unsigned, Float };

/// Width in memory, in bits: a bool takes a whole byte there.
unsigned bitWidth(DType type);
inline unsigned byteWidth(DType type) { return bitWidth(type) / 8; }
DTypeKind kindOf(DType type);
/// The spelling in a kernel, without `ph.`.
std::string_view name(DType type);
std::optional<DType> parseDType(std::string_view name);
/// DLPack's type code (dlpack.h, DLDataTypeCode); the width is bitWidth.
uint8_t dlpackCode(DType type);

inline bool isFloat(DType type) { return kindOf(type) == DTypeKind::Float; }
inline bool isInteger(DType type) { return kindOf(type) == DTypeKind::Signed || kindOf(type) == DTypeKind::Unsigned; }
inline bool isSigned(DType type) { return kindOf(type) == DTypeKind::Signed; }

} // namespace phobos
