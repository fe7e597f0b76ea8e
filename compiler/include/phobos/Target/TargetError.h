// Why the target end failed. Travels in llvm::Error; the driver turns it into a Failure of the same kind.
#pragma once

#include "llvm/Support/Error.h"

#include <string>

namespace phobos::target {

class TargetError : public llvm::ErrorInfo<TargetError> {
public:
  enum class Kind {
    Internal, // the module handed over is wrong, or LLVM gave up on it
    Tool,     // something outside that we need is missing or refused: libdevice, nvJitLink, ptxas
  };
  static char ID;

  TargetError(Kind kind, std::string text) : kind_(kind), text_(std::move(text)) {}
  Kind kind() const { return kind_; }
  const std::string &text() const { return text_; }

  void log(llvm::raw_ostream &os) const override { os << text_; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  Kind kind_;
  std::string text_;
};

inline llvm::Error internalError(std::string text) {
  return llvm::make_error<TargetError>(TargetError::Kind::Internal, std::move(text));
}
inline llvm::Error toolError(std::string text) {
  return llvm::make_error<TargetError>(TargetError::Kind::Tool, std::move(text));
}

} // namespace phobos::target
