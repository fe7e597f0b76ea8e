// Matrices over F2: Gaussian elimination on 64-bit words.
#include "phobos/Layout/F2Matrix.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <cassert>

namespace phobos::layout {

static uint64_t leadingBit(uint64_t v) { return uint64_t(1) << (63 - llvm::countl_zero(v)); }

uint64_t F2Basis::reduce(uint64_t v, uint64_t *combination) const {
  for (const Row &row : rows) {
    if (v & leadingBit(row.vector)) {
      v ^= row.vector;
      if (combination) {
        *combination ^= row.combination;
      }
    }
  }
  return v;
}

bool F2Basis::insert(uint64_t v) {
  assert(inserted < 64 && "combinations are 64 bits");
  uint64_t combination = uint64_t(1) << inserted++;
  v = reduce(v, &combination);
  if (v == 0) {
    lastRelation = combination;
    return false;
  }
  auto *at = llvm::find_if(rows, [&](const Row &row) { return row.vector < v; });
  rows.insert(at, Row{v, combination});
  return true;
}

llvm::SmallVector<uint64_t, 24> F2Basis::reduced() const {
  llvm::SmallVector<uint64_t, 24> out;
  for (const Row &row : rows) {
    out.push_back(row.vector);
  }
  for (unsigned i = 0; i < out.size(); ++i) {
    for (unsigned j = 0; j < i; ++j) {
      if (out[j] & leadingBit(out[i])) {
        out[j] ^= out[i];
      }
    }
  }
  return out;
}

F2Matrix F2Matrix::identity(unsigned bits) {
  F2Matrix m;
  for (unsigned i = 0; i < bits; ++i) {
    m.cols.push_back(uint64_t(1) << i);
  }
  return m;
}

uint64_t F2Matrix::apply(uint64_t x) const {
  assert((cols.size() >= 64 || (x >> cols.size()) == 0) && "input beyond the columns");
  uint64_t y = 0;
  for (; x; x &= x - 1) {
    y ^= cols[llvm::countr_zero(x)];
  }
  return y;
}

F2Matrix F2Matrix::compose(const F2Matrix &inner) const {
  F2Matrix m;
  for (uint64_t c : inner.cols) {
    m.cols.push_back(apply(c));
  }
  return m;
}

F2Matrix F2Matrix::concat(const F2Matrix &other) const {
  F2Matrix m = *this;
  m.cols.append(other.cols.begin(), other.cols.end());
  return m;
}

F2Matrix F2Matrix::transposed(unsigned outputBits) const {
  F2Matrix m = zero(outputBits);
  for (auto [i, c] : llvm::enumerate(cols)) {
    for (uint64_t rest = c; rest; rest &= rest - 1) {
      m.cols[llvm::countr_zero(rest)] |= uint64_t(1) << i;
    }
  }
  return m;
}

unsigned F2Matrix::rank() const {
  F2Basis basis;
  for (uint64_t c : cols) {
    basis.insert(c);
  }
  return basis.rank();
}

llvm::SmallVector<uint64_t, 8> F2Matrix::kernel() const {
  F2Basis basis, relations;
  for (uint64_t c : cols) {
    if (!basis.insert(c)) {
      relations.insert(basis.relation());
    }
  }
  auto out = relations.reduced();
  return llvm::SmallVector<uint64_t, 8>(out.begin(), out.end());
}

llvm::SmallVector<uint64_t, 24> F2Matrix::image() const {
  F2Basis basis;
  for (uint64_t c : cols) {
    basis.insert(c);
  }
  return basis.reduced();
}

std::optional<uint64_t> F2Matrix::solve(uint64_t y) const {
  F2Basis basis;
  for (uint64_t c : cols) {
    basis.insert(c);
  }
  uint64_t x = 0;
  if (basis.reduce(y, &x) != 0) {
    return std::nullopt;
  }
  return x;
}

std::optional<F2Matrix> F2Matrix::rightInverse(unsigned outputBits) const {
  F2Basis basis;
  for (uint64_t c : cols) {
    basis.insert(c);
  }
  F2Matrix inverse;
  for (unsigned i = 0; i < outputBits; ++i) {
    uint64_t x = 0;
    if (basis.reduce(uint64_t(1) << i, &x) != 0) {
      return std::nullopt;
    }
    inverse.cols.push_back(x);
  }
  return inverse;
}

} // namespace phobos::layout
