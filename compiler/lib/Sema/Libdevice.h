// ph.libdevice: which functions there are, and what they take.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace phobos::sema {

struct LibdeviceFunction {
  llvm::StringRef operands; ///< F for a float, I for an i32
  bool givesInteger = false;
  llvm::StringRef parameters; ///< their names, as in a signature
};
std::optional<LibdeviceFunction> findLibdevice(llvm::StringRef name);
/// Empty if none is near.
llvm::StringRef nearestLibdevice(llvm::StringRef name);

} // namespace phobos::sema
