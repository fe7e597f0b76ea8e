// The specialisation key: which facts of one launch select a compiled variant. Extents themselves do not, nor scalars:
// only unit and aligned strides, aligned addresses, which dims are whole tiles, and whether offsets need 64 bits. So a
// kernel is not compiled again for each new shape.
#pragma once

#include "phobos/runtime/Arguments.h"

#include <string>
#include <vector>

namespace phobos::runtime {

/// `multiples` as PreparedKernel::multiples gives it: by dim.
Specialisation specialise(const Signature &signature, const Binding &binding,
                          const std::vector<std::vector<int64_t>> &multiples);

/// Flat bytes, equal exactly when the facts are.
std::string keyBytes(const Specialisation &specialisation);
std::string keyBytes(const Constants &constants);

} // namespace phobos::runtime
