// Matrices over F2 as columns of bits: the arithmetic under every layout question.
// A matrix is a linear map from `columns` input bits to at most 64 output bits; column i is the image of input bit i,
// and images combine by XOR. Nothing here knows about tiles.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace phobos::layout {

class F2Matrix {
public:
  F2Matrix() = default;
  explicit F2Matrix(llvm::ArrayRef<uint64_t> columns) : cols(columns.begin(), columns.end()) {}
  static F2Matrix identity(unsigned bits);
  static F2Matrix zero(unsigned columns) { return F2Matrix(llvm::SmallVector<uint64_t, 24>(columns, 0)); }

  unsigned numColumns() const { return cols.size(); }
  llvm::ArrayRef<uint64_t> columns() const { return cols; }
  uint64_t &operator[](unsigned i) { return cols[i]; }
  uint64_t operator[](unsigned i) const { return cols[i]; }

  // The image of x, whose bit i stands for input bit i.
  uint64_t apply(uint64_t x) const;
  // this ∘ inner: input bits of `inner` to output bits of this. Output bits of `inner` beyond our columns must be zero.
  F2Matrix compose(const F2Matrix &inner) const;
  // The columns of this, then those of `other`.
  F2Matrix concat(const F2Matrix &other) const;
  F2Matrix transposed(unsigned outputBits) const;

  unsigned rank() const;
  // A basis of the inputs that map to zero, reduced, highest leading bit first.
  llvm::SmallVector<uint64_t, 8> kernel() const;
  // A basis of the outputs that are reached, reduced, highest leading bit first.
  llvm::SmallVector<uint64_t, 24> image() const;
  // Some x with apply(x) == y.
  std::optional<uint64_t> solve(uint64_t y) const;
  // R with this ∘ R = identity on `outputBits` bits; nothing unless this is onto. The inverse, if this is square.
  std::optional<F2Matrix> rightInverse(unsigned outputBits) const;

  bool operator==(const F2Matrix &other) const { return cols == other.cols; }
  bool operator!=(const F2Matrix &other) const { return !(*this == other); }

private:
  llvm::SmallVector<uint64_t, 24> cols;
};

// A growing set of independent vectors, each with the combination of inserted vectors that made it.
// Row-reduction in one place: rank, kernel, solve and complements are all loops over insert().
class F2Basis {
public:
  // Adds v (inserted vector number `count()`); true if it was independent. A dependent v leaves its relation in
  // `relation()`.
  bool insert(uint64_t v);
  // v minus its part in the span (leading bits cleared): zero iff v is in the span. `combination` collects the inserted
  // vectors used.
  uint64_t reduce(uint64_t v, uint64_t *combination = nullptr) const;
  bool contains(uint64_t v) const { return reduce(v) == 0; }
  unsigned rank() const { return rows.size(); }
  unsigned count() const { return inserted; }
  uint64_t relation() const { return lastRelation; }
  // Fully reduced (no vector has another's leading bit), highest leading bit first.
  llvm::SmallVector<uint64_t, 24> reduced() const;

private:
  struct Row {
    uint64_t vector, combination;
  };
  llvm::SmallVector<Row, 24> rows; // by leading bit, highest first
  uint64_t lastRelation = 0;
  unsigned inserted = 0;
};

} // namespace phobos::layout
