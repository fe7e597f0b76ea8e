// LinearLayout: storage, evaluation, verification and printing. The explanation is in the header.
#include "phobos/Layout/LinearLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cassert>

namespace phobos::layout {

llvm::StringRef nameOf(In in) {
  switch (in) {
  case In::Register:
    return "register";
  case In::Lane:
    return "lane";
  case In::Warp:
    return "warp";
  case In::Block:
    return "block";
  }
  llvm_unreachable("no such input");
}

uint32_t &Place::operator[](In in) {
  switch (in) {
  case In::Register:
    return reg;
  case In::Lane:
    return lane;
  case In::Warp:
    return warp;
  case In::Block:
    return block;
  }
  llvm_unreachable("no such input");
}

uint32_t Place::operator[](In in) const { return const_cast<Place &>(*this)[in]; }

unsigned log2Exact(int64_t x) {
  assert(isPowerOf2(x) && "expected a power of two");
  return llvm::countr_zero(uint64_t(x));
}

int32_t nextPowerOf2(int64_t x) { return x <= 1 ? 1 : int32_t(llvm::bit_ceil(uint64_t(x))); }

Coords paddedShape(llvm::ArrayRef<int64_t> shape) {
  Coords out;
  for (int64_t extent : shape) {
    out.push_back(nextPowerOf2(extent));
  }
  return out;
}

std::string LinearLayout::verify(llvm::ArrayRef<int32_t> shape, llvm::ArrayRef<Coords> reg, llvm::ArrayRef<Coords> lane,
                                 llvm::ArrayRef<Coords> warp, llvm::ArrayRef<Coords> block) {
  std::string text;
  llvm::raw_string_ostream os(text);
  int64_t elements = 1;
  for (int32_t extent : shape) {
    if (!isPowerOf2(extent)) {
      os << "expected extents that are powers of two, got " << extent;
      return text;
    }
    elements *= extent;
    if (elements > int64_t(1) << 31) {
      os << "expected at most 2^31 elements, got more";
      return text;
    }
  }
  const llvm::ArrayRef<Coords> all[] = {reg, lane, warp, block};
  const unsigned limits[] = {16, 5, 5, 4}; // 65536 registers, and what the hardware has
  for (In in : kAllIns) {
    llvm::ArrayRef<Coords> bases = all[unsigned(in)];
    if (bases.size() > limits[unsigned(in)]) {
      os << "expected at most " << limits[unsigned(in)] << " " << nameOf(in) << " bases, got " << bases.size();
      return text;
    }
    for (const Coords &basis : bases) {
      if (basis.size() != shape.size()) {
        os << "expected " << nameOf(in) << " bases of " << shape.size() << " coordinates, got " << basis.size();
        return text;
      }
      for (unsigned d = 0; d < shape.size(); ++d) {
        if (basis[d] < 0 || basis[d] >= shape[d]) {
          os << "expected " << nameOf(in) << " bases inside the tile, got " << basis[d] << " in dimension " << d
             << " of extent " << shape[d];
          return text;
        }
      }
    }
  }
  return text;
}

LinearLayout::LinearLayout(llvm::ArrayRef<int32_t> shape, llvm::ArrayRef<Coords> reg, llvm::ArrayRef<Coords> lane,
                           llvm::ArrayRef<Coords> warp, llvm::ArrayRef<Coords> block)
    : extents(shape.begin(), shape.end()) {
  assert(verify(shape, reg, lane, warp, block).empty() && "invalid layout");
  const llvm::ArrayRef<Coords> all[] = {reg, lane, warp, block};
  for (In in : kAllIns) {
    for (const Coords &basis : all[unsigned(in)]) {
      flats.push_back(flatten(basis));
    }
    ends[unsigned(in)] = flats.size();
  }
}

LinearLayout LinearLayout::fromFlat(llvm::ArrayRef<int32_t> shape, llvm::ArrayRef<uint32_t> reg,
                                    llvm::ArrayRef<uint32_t> lane, llvm::ArrayRef<uint32_t> warp,
                                    llvm::ArrayRef<uint32_t> block) {
  LinearLayout layout;
  layout.extents.assign(shape.begin(), shape.end());
  const llvm::ArrayRef<uint32_t> all[] = {reg, lane, warp, block};
  for (In in : kAllIns) {
    layout.flats.append(all[unsigned(in)].begin(), all[unsigned(in)].end());
    layout.ends[unsigned(in)] = layout.flats.size();
  }
  assert(llvm::all_of(layout.flats, [&](uint32_t f) { return f < layout.numElements(); }) && "basis outside the tile");
  return layout;
}

unsigned LinearLayout::numElementBits() const {
  unsigned bits = 0;
  for (int32_t extent : extents) {
    bits += log2Exact(extent);
  }
  return bits;
}

llvm::ArrayRef<uint32_t> LinearLayout::flatBases(In in) const {
  return llvm::ArrayRef<uint32_t>(flats).slice(begin(in), numBits(in));
}

llvm::SmallVector<Coords, 8> LinearLayout::bases(In in) const {
  llvm::SmallVector<Coords, 8> out;
  for (uint32_t flat : flatBases(in)) {
    out.push_back(unflatten(flat));
  }
  return out;
}

int32_t LinearLayout::basis(In in, unsigned bit, unsigned dim) const {
  return int32_t((flatBases(in)[bit] & dimMask(dim)) >> dimShift(dim));
}

uint32_t LinearLayout::partFlat(In in, uint32_t value) const {
  llvm::ArrayRef<uint32_t> bases = flatBases(in);
  assert(value < size(in) && "place outside the layout");
  uint32_t flat = 0;
  for (; value; value &= value - 1) {
    flat ^= bases[llvm::countr_zero(value)];
  }
  return flat;
}

uint32_t LinearLayout::applyFlat(uint32_t reg, uint32_t lane, uint32_t warp, uint32_t block) const {
  return partFlat(In::Register, reg) ^ partFlat(In::Lane, lane) ^ partFlat(In::Warp, warp) ^ partFlat(In::Block, block);
}

Coords LinearLayout::apply(uint32_t reg, uint32_t lane, uint32_t warp, uint32_t block) const {
  return unflatten(applyFlat(reg, lane, warp, block));
}

unsigned LinearLayout::dimShift(unsigned dim) const {
  unsigned shift = 0;
  for (unsigned d = rank(); --d > dim;) {
    shift += log2Exact(extents[d]);
  }
  return shift;
}

Coords LinearLayout::unflatten(uint32_t flat) const {
  Coords coords(rank(), 0);
  for (unsigned d = rank(); d-- > 0;) {
    coords[d] = int32_t(flat & (uint32_t(extents[d]) - 1));
    flat >>= log2Exact(extents[d]);
  }
  return coords;
}

uint32_t LinearLayout::flatten(llvm::ArrayRef<int32_t> coords) const {
  assert(coords.size() == rank());
  uint32_t flat = 0;
  for (unsigned d = 0; d < rank(); ++d) {
    assert(coords[d] >= 0 && coords[d] < extents[d] && "coordinate outside the tile");
    flat = (flat << log2Exact(extents[d])) | uint32_t(coords[d]);
  }
  return flat;
}

Place LinearLayout::freeVariableMasks() const {
  F2Basis seen;
  uint64_t free = 0;
  for (unsigned i = 0; i < flats.size(); ++i) {
    if (!seen.insert(flats[i])) {
      free |= uint64_t(1) << i;
    }
  }
  return unpackPlace(free);
}

F2Matrix LinearLayout::matrix() const {
  llvm::SmallVector<uint64_t, 24> columns(flats.begin(), flats.end());
  return F2Matrix(columns);
}

Place LinearLayout::unpackPlace(uint64_t bits) const {
  Place place;
  for (In in : kAllIns) {
    place[in] = uint32_t((bits >> begin(in)) & (size(in) - 1));
  }
  return place;
}

uint64_t LinearLayout::packPlace(const Place &place) const {
  uint64_t bits = 0;
  for (In in : kAllIns) {
    assert(place[in] < size(in) && "place outside the layout");
    bits |= uint64_t(place[in]) << begin(in);
  }
  return bits;
}

void LinearLayout::print(llvm::raw_ostream &os) const {
  for (In in : kAllIns) {
    if (in == In::Block && numBits(in) == 0) {
      continue;
    }
    os << (in == In::Register ? "" : " ") << nameOf(in) << "=[";
    llvm::interleave(
        bases(in), os,
        [&](const Coords &basis) {
          os << '[';
          llvm::interleave(basis, os, ",");
          os << ']';
        },
        ",");
    os << ']';
  }
}

std::string LinearLayout::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

std::string toTable(const LinearLayout &layout) {
  llvm::SmallVector<std::string, 0> cells(layout.numElements());
  llvm::SmallVector<uint32_t, 0> copies(layout.numElements(), 0);
  for (uint64_t p = 0, e = uint64_t(1) << layout.numBits(); p < e; ++p) {
    Place place = layout.unpackPlace(p);
    uint32_t at = layout.applyFlat(place);
    if (copies[at]++ == 0) {
      llvm::raw_string_ostream os(cells[at]);
      if (layout.numBits(In::Block)) {
        os << 'B' << place.block << ' ';
      }
      os << 'W' << place.warp << " L" << place.lane << " R" << place.reg;
    }
  }
  size_t width = 1;
  for (auto [cell, n] : llvm::zip(cells, copies)) {
    if (n > 1) {
      cell += "|" + std::to_string(n);
    }
    if (n == 0) {
      cell = "-";
    }
    width = std::max(width, cell.size());
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  uint32_t columns = layout.rank() ? uint32_t(layout.shape().back()) : 1;
  for (uint32_t at = 0; at < cells.size(); ++at) {
    os << llvm::left_justify(cells[at], width) << ((at + 1) % columns == 0 ? "\n" : "  ");
  }
  return text;
}

} // namespace phobos::layout
