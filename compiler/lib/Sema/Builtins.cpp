// The table of names, searched. Small enough for a scan.
#include "phobos/Sema/Builtins.h"
#include "phobos/Support/DType.h"
#include "phobos/Support/Diagnostic.h"
#include "llvm/ADT/SmallVector.h"

namespace phobos::sema {
namespace {

constexpr bool Yes = true, No = false;

constexpr Builtin kBuiltins[] = {
#define PHOBOS_BUILTIN(name, category, support, rule, signature, sentence)                                             \
  {name, Category::category, support, Rule::rule, signature, sentence},
#include "phobos/Sema/Builtins.def"
};

} // namespace

llvm::ArrayRef<Builtin> builtins() { return kBuiltins; }

const Builtin *findBuiltin(llvm::StringRef name) {
  for (const Builtin &builtin : kBuiltins) {
    if (builtin.name == name) {
      return &builtin;
    }
  }
  size_t dot = name.rfind('.');
  const Builtin *outer = dot == llvm::StringRef::npos ? nullptr : findBuiltin(name.take_front(dot));
  return outer && !outer->supported ? outer : nullptr;
}

llvm::StringRef nearestBuiltin(llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef, 160> candidates;
#define PHOBOS_DTYPE(type, bits, kind, dlcode) candidates.push_back(phobos::name(DType::type));
#include "phobos/Support/DTypes.def"
  for (const Builtin &builtin : kBuiltins) {
    candidates.push_back(builtin.name);
  }
  return nearestName(name, candidates);
}

std::vector<Formal> formals(llvm::StringRef signature) {
  std::vector<Formal> result;
  llvm::SmallVector<llvm::StringRef, 8> parts;
  signature.split(parts, ", ", -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts) {
    Formal formal;
    formal.keywords = part.consume_front("**");
    formal.variadic = !formal.keywords && part.consume_front("*");
    auto [name, value] = part.split('=');
    formal.name = name;
    formal.required = value.empty() && !formal.keywords && !formal.variadic;
    result.push_back(formal);
  }
  return result;
}

} // namespace phobos::sema
