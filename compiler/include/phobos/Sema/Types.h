// Types of run-time values: a scalar is a tile of rank 0, so there is one class. Uniqued in a TypeContext: equal types
// are one pointer. Names, tensors, dtypes and tuples are not values: they are gone when the typed tree is made.
#pragma once

#include "phobos/Support/DType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include <cassert>
#include <memory>
#include <string>
#include <unordered_set>

namespace phobos::sema {

/// What one element is: a dtype, or `index`. An index is Python's int as far as a kernel has it: block numbers,
/// extents, loop variables, ph.iota. Signed, 32 or 64 bits wide as Specialisation::index64 chooses; it has no dtype of
/// its own.
class Element {
public:
  constexpr Element(DType dtype) : code(static_cast<uint8_t>(dtype)) {}
  static constexpr Element index() { return Element(); }

  bool isIndex() const { return code == kIndex; }
  DType dtype() const {
    assert(!isIndex() && "an index has no dtype");
    return static_cast<DType>(code);
  }
  bool isBool() const { return !isIndex() && dtype() == DType::boolean; }
  bool isFloat() const { return !isIndex() && phobos::isFloat(dtype()); }
  /// Signed, unsigned or index; not bool.
  bool isInteger() const { return isIndex() || phobos::isInteger(dtype()); }
  bool isSigned() const { return isIndex() || phobos::isSigned(dtype()); }
  bool isFloat8() const { return !isIndex() && (dtype() == DType::f8e4m3 || dtype() == DType::f8e5m2); }
  bool operator==(const Element &) const = default;

private:
  static constexpr uint8_t kIndex = 0xff;
  constexpr Element() : code(kIndex) {}
  uint8_t code;
};

/// "f32", "index".
llvm::StringRef elementName(Element element);

class Type {
public:
  Element element() const { return elem; }
  llvm::ArrayRef<int64_t> shape() const { return dims; }
  unsigned rank() const { return static_cast<unsigned>(dims.size()); }
  bool isScalar() const { return dims.empty(); }
  bool isTile() const { return !dims.empty(); }
  bool isScalarBool() const { return isScalar() && elem.isBool(); }
  int64_t elementCount() const;
  /// "f32", "f16[64, 32]".
  std::string str() const;

private:
  friend class TypeContext;
  Type(Element elem, llvm::ArrayRef<int64_t> dims) : elem(elem), dims(dims) {}
  Element elem;
  llvm::ArrayRef<int64_t> dims;
};

class TypeContext {
public:
  TypeContext() = default;
  TypeContext(const TypeContext &) = delete;
  TypeContext &operator=(const TypeContext &) = delete;

  const Type *get(Element element, llvm::ArrayRef<int64_t> shape = {});
  const Type *scalar(Element element) { return get(element); }
  const Type *index() { return get(Element::index()); }
  const Type *boolean() { return get(DType::boolean); }
  const Type *withElement(const Type *type, Element element) { return get(element, type->shape()); }
  const Type *withShape(const Type *type, llvm::ArrayRef<int64_t> shape) { return get(type->element(), shape); }

private:
  struct Hash {
    size_t operator()(const Type *type) const;
  };
  struct Equal {
    bool operator()(const Type *a, const Type *b) const;
  };
  llvm::BumpPtrAllocator arena;
  std::unordered_set<const Type *, Hash, Equal> types;
};

/// "[64, 32]", "[]".
std::string shapeText(llvm::ArrayRef<int64_t> shape);

} // namespace phobos::sema
