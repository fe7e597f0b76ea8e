// Uniquing and printing of value types.
#include "phobos/Sema/Types.h"
#include "phobos/Sema/Tree.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

namespace phobos::sema {

llvm::StringRef elementName(Element element) {
  if (element.isIndex()) {
    return "index";
  }
  std::string_view text = phobos::name(element.dtype());
  return {text.data(), text.size()};
}

int64_t Type::elementCount() const {
  int64_t count = 1;
  for (int64_t extent : dims) {
    count *= extent;
  }
  return count;
}

std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    text += (i ? ", " : "") + std::to_string(shape[i]);
  }
  return text + "]";
}

std::string Type::str() const { return elementName(elem).str() + (isTile() ? shapeText(dims) : ""); }

size_t TypeContext::Hash::operator()(const Type *type) const {
  unsigned code = type->element().isIndex() ? 0xff : static_cast<unsigned>(type->element().dtype());
  return llvm::hash_combine(code, llvm::hash_combine_range(type->shape().begin(), type->shape().end()));
}

bool TypeContext::Equal::operator()(const Type *a, const Type *b) const {
  return a->element() == b->element() && a->shape() == b->shape();
}

const Type *TypeContext::get(Element element, llvm::ArrayRef<int64_t> shape) {
  Type key(element, shape);
  auto found = types.find(&key);
  if (found != types.end()) {
    return *found;
  }
  auto *dims = arena.Allocate<int64_t>(shape.size());
  std::copy(shape.begin(), shape.end(), dims);
  const Type *type = new (arena.Allocate<Type>()) Type(element, llvm::ArrayRef<int64_t>(dims, shape.size()));
  types.insert(type);
  return type;
}

llvm::StringRef spelling(MathOp op) {
  switch (op) {
#define PHOBOS_MATH(name, text, arity)                                                                                 \
  case MathOp::name:                                                                                                   \
    return text;
#include "phobos/Sema/MathOps.def"
  }
  return "";
}

} // namespace phobos::sema
