// Layout algebra: shape operations as moves of coordinate bits, relations of two layouts as small linear systems.
#include "phobos/Layout/Algebra.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <cassert>

namespace phobos::layout {

// The layout with each basis replaced by fn(basis), over another shape.
template <typename Fn> static LinearLayout mapBases(const LinearLayout &layout, llvm::ArrayRef<int32_t> shape, Fn fn) {
  Flats parts[kNumIns];
  for (In in : kAllIns) {
    for (uint32_t flat : layout.flatBases(in)) {
      parts[unsigned(in)].push_back(fn(flat));
    }
  }
  return LinearLayout::fromFlat(shape, parts[0], parts[1], parts[2], parts[3]);
}

static LinearLayout withRegisters(const LinearLayout &layout, llvm::ArrayRef<uint32_t> registers) {
  return LinearLayout::fromFlat(layout.shape(), registers, layout.flatBases(In::Lane), layout.flatBases(In::Warp),
                                layout.flatBases(In::Block));
}

// Bits of x selected by mask, moved together.
static uint32_t extractBits(uint32_t x, uint32_t mask) {
  uint32_t out = 0;
  for (unsigned to = 0; mask; mask &= mask - 1, ++to) {
    out |= ((x >> llvm::countr_zero(mask)) & 1) << to;
  }
  return out;
}

LinearLayout transpose(const LinearLayout &layout, llvm::ArrayRef<unsigned> perm) {
  assert(perm.size() == layout.rank());
  Coords shape;
  for (unsigned from : perm) {
    shape.push_back(layout.shape()[from]);
  }
  return mapBases(layout, shape, [&](uint32_t flat) {
    uint32_t out = 0;
    for (unsigned from : perm) {
      out = (out << layout.dimBits(from)) | ((flat & layout.dimMask(from)) >> layout.dimShift(from));
    }
    return out;
  });
}

LinearLayout expandDims(const LinearLayout &layout, unsigned dim) {
  assert(dim <= layout.rank());
  Coords shape(layout.shape().begin(), layout.shape().end());
  shape.insert(shape.begin() + dim, 1);
  return mapBases(layout, shape, [](uint32_t flat) { return flat; });
}

LinearLayout slice(const LinearLayout &layout, unsigned dim) {
  assert(dim < layout.rank());
  Coords shape(layout.shape().begin(), layout.shape().end());
  shape.erase(shape.begin() + dim);
  uint32_t keep = (layout.numElements() - 1) & ~layout.dimMask(dim);
  return mapBases(layout, shape, [&](uint32_t flat) { return extractBits(flat, keep); });
}

LinearLayout reshape(const LinearLayout &layout, llvm::ArrayRef<int32_t> shape) {
  LinearLayout out = mapBases(layout, shape, [](uint32_t flat) { return flat; });
  assert(out.numElements() == layout.numElements() && "reshape must keep the number of elements");
  return out;
}

LinearLayout broadcast(const LinearLayout &layout, unsigned dim, int32_t extent) {
  assert(layout.shape()[dim] == 1 && isPowerOf2(extent));
  Coords shape(layout.shape().begin(), layout.shape().end());
  shape[dim] = extent;
  unsigned shift = layout.dimShift(dim), bits = log2Exact(extent);
  uint32_t low = (1u << shift) - 1;
  LinearLayout wide = mapBases(layout, shape, [&](uint32_t flat) { return (flat & low) | ((flat & ~low) << bits); });
  Flats registers(wide.flatBases(In::Register));
  for (unsigned i = 0; i < bits; ++i) {
    registers.push_back(1u << (shift + i));
  }
  return withRegisters(wide, registers);
}

LinearLayout broadcastTo(const LinearLayout &layout, llvm::ArrayRef<int32_t> shape) {
  assert(shape.size() == layout.rank());
  LinearLayout out = layout;
  for (unsigned d = shape.size(); d-- > 0;) {
    if (layout.shape()[d] != shape[d]) {
      out = broadcast(out, d, shape[d]);
    }
  }
  return out;
}

LinearLayout beforeBroadcast(const LinearLayout &layout, llvm::ArrayRef<int32_t> shape) {
  assert(shape.size() == layout.rank());
  auto project = [&](In in) {
    auto bases = layout.bases(in);
    for (Coords &basis : bases) {
      for (unsigned d = 0; d < shape.size(); ++d) {
        basis[d] = shape[d] == 1 ? 0 : basis[d];
      }
    }
    return bases;
  };
  return LinearLayout(Coords(shape.begin(), shape.end()), project(In::Register), project(In::Lane), project(In::Warp));
}

LinearLayout join(const LinearLayout &layout) {
  Coords shape(layout.shape().begin(), layout.shape().end());
  shape.push_back(2);
  LinearLayout wide = mapBases(layout, shape, [](uint32_t flat) { return flat << 1; });
  Flats registers = {1};
  registers.append(wide.flatBases(In::Register).begin(), wide.flatBases(In::Register).end());
  return withRegisters(wide, registers);
}

std::optional<SplitLayout> split(const LinearLayout &layout) {
  if (layout.rank() == 0 || layout.shape().back() != 2) {
    return std::nullopt;
  }
  if (llvm::count_if(layout.flatBases(), [](uint32_t flat) { return flat & 1; }) != 1) {
    return std::nullopt;
  }
  llvm::ArrayRef<uint32_t> registers = layout.flatBases(In::Register);
  const uint32_t *at = llvm::find(registers, 1u);
  if (at == registers.end()) {
    return std::nullopt;
  }
  unsigned bit = at - registers.begin();
  Flats rest(registers);
  rest.erase(rest.begin() + bit);
  return SplitLayout{slice(withRegisters(layout, rest), layout.rank() - 1), bit};
}

LinearLayout selectRegisters(const LinearLayout &layout, llvm::ArrayRef<unsigned> order) {
  Flats registers;
  for (unsigned bit : order) {
    registers.push_back(layout.flatBases(In::Register)[bit]);
  }
  return withRegisters(layout, registers);
}

uint32_t selectedRegister(uint32_t reg, llvm::ArrayRef<unsigned> order) {
  uint32_t old = 0;
  for (unsigned i = 0; i < order.size(); ++i) {
    old |= ((reg >> i) & 1) << order[i];
  }
  return old;
}

llvm::SmallVector<unsigned, 8> independentRegisters(const LinearLayout &layout) {
  llvm::SmallVector<unsigned, 8> kept;
  F2Basis basis;
  for (auto [bit, flat] : llvm::enumerate(layout.flatBases(In::Register))) {
    if (basis.insert(flat)) {
      kept.push_back(bit);
    }
  }
  return kept;
}

LinearLayout removeZeroRegisterBases(const LinearLayout &layout) {
  return selectRegisters(layout, independentRegisters(layout));
}

llvm::SmallVector<uint32_t, 16> registerCopies(const LinearLayout &layout) {
  llvm::SmallVector<uint32_t, 16> copies;
  // By register bit: itself if independent, else the combination of independent ones that equals it.
  Flats image;
  F2Basis basis;
  for (auto [bit, flat] : llvm::enumerate(layout.flatBases(In::Register))) {
    uint64_t used = 0;
    if (basis.reduce(flat, &used) != 0) {
      basis.insert(flat);
      image.push_back(1u << bit);
    } else {
      basis.insert(0); // keeps inserted vectors numbered by register bit
      image.push_back(uint32_t(used));
    }
  }
  for (uint32_t reg = 0; reg < layout.numRegisters(); ++reg) {
    uint32_t copy = 0;
    for (uint32_t rest = reg; rest; rest &= rest - 1) {
      copy ^= image[llvm::countr_zero(rest)];
    }
    copies.push_back(copy);
  }
  return copies;
}

// The register bit that alone moves flat bit `flatBit`, and nothing else; or -1.
static int registerBitOf(const LinearLayout &layout, uint32_t flatBit) {
  if (llvm::count_if(layout.flatBases(), [&](uint32_t flat) { return flat & flatBit; }) != 1) {
    return -1;
  }
  llvm::ArrayRef<uint32_t> registers = layout.flatBases(In::Register);
  const uint32_t *at = llvm::find(registers, flatBit);
  return at == registers.end() ? -1 : int(at - registers.begin());
}

uint32_t contiguity(const LinearLayout &layout, llvm::ArrayRef<unsigned> order) {
  if (layout.rank() == 0) {
    return 1;
  }
  unsigned shift = layout.dimShift(order[0]), bits = layout.dimBits(order[0]), n = 0;
  while (n < bits && registerBitOf(layout, 1u << (shift + n)) == int(n)) {
    ++n;
  }
  return 1u << n;
}

llvm::SmallVector<unsigned, 8> vectorFirstOrder(const LinearLayout &layout, llvm::ArrayRef<unsigned> order) {
  llvm::SmallVector<unsigned, 8> out;
  if (layout.rank() > 0) {
    unsigned shift = layout.dimShift(order[0]), bits = layout.dimBits(order[0]);
    for (unsigned n = 0; n < bits; ++n) {
      int bit = registerBitOf(layout, 1u << (shift + n));
      if (bit < 0) {
        break;
      }
      out.push_back(bit);
    }
  }
  for (unsigned bit = 0; bit < layout.numBits(In::Register); ++bit) {
    if (!llvm::is_contained(out, bit)) {
      out.push_back(bit);
    }
  }
  return out;
}

AxisBits axisBits(const LinearLayout &layout, unsigned dim) {
  AxisBits out;
  uint32_t along = layout.dimMask(dim);
  for (In in : kAllIns) {
    for (auto [bit, flat] : llvm::enumerate(layout.flatBases(in))) {
      if (flat & along) {
        out.mask[in] |= 1u << bit;
        out.separable &= (flat & ~along) == 0;
      }
    }
  }
  return out;
}

// --- two layouts
static std::array<uint8_t, kNumIns> bitCounts(const LinearLayout &layout) {
  std::array<uint8_t, kNumIns> counts;
  for (In in : kAllIns) {
    counts[unsigned(in)] = layout.numBits(in);
  }
  return counts;
}

static Place unpack(uint64_t bits, const std::array<uint8_t, kNumIns> &counts) {
  Place place;
  for (In in : kAllIns) {
    unsigned n = counts[unsigned(in)];
    place[in] = uint32_t(bits & ((uint64_t(1) << n) - 1));
    bits >>= n;
  }
  return place;
}

static unsigned firstBit(In in, const std::array<uint8_t, kNumIns> &counts) {
  unsigned bit = 0;
  for (unsigned i = 0; i < unsigned(in); ++i) {
    bit += counts[i];
  }
  return bit;
}

Place PlaceMap::apply(const Place &from) const {
  uint64_t x = 0;
  for (In in : kAllIns) {
    x |= uint64_t(from[in]) << firstBit(in, fromBits);
  }
  return unpack(matrix.apply(x), toBits);
}

Place PlaceMap::column(In in, unsigned bit) const { return unpack(matrix[firstBit(in, fromBits) + bit], toBits); }

bool PlaceMap::same(In in) const {
  for (In from : kAllIns) {
    for (unsigned bit = 0; bit < fromBits[unsigned(from)]; ++bit) {
      if (column(from, bit)[in] != (from == in ? 1u << bit : 0)) {
        return false;
      }
    }
  }
  return true;
}

bool PlaceMap::keeps(In in) const {
  if (!same(in)) {
    return false;
  }
  for (unsigned bit = 0; bit < fromBits[unsigned(in)]; ++bit) {
    Place other = column(in, bit);
    other[in] = 0;
    if (!(other == Place())) {
      return false;
    }
  }
  return true;
}

std::optional<PlaceMap> invertAndCompose(const LinearLayout &src, const LinearLayout &dst) {
  assert(src.shape() == dst.shape() && "layouts of different tiles");
  PlaceMap map;
  map.fromBits = bitCounts(dst);
  map.toBits = bitCounts(src);
  F2Basis basis, relations;
  for (uint32_t flat : src.flatBases()) {
    if (!basis.insert(flat)) {
      relations.insert(basis.relation());
    }
  }
  // Solutions differ by src's kernel. Reduced and sorted from the highest leading bit (block, then warp, lane,
  // register), it lets us clear what differs from the wished place from the top down, which is the smallest difference
  // there is.
  llvm::SmallVector<uint64_t, 24> kernel = relations.reduced();
  llvm::SmallVector<uint64_t, 24> columns;
  for (In in : kAllIns) {
    for (auto [bit, flat] : llvm::enumerate(dst.flatBases(in))) {
      uint64_t x = 0;
      if (basis.reduce(flat, &x) != 0) {
        return std::nullopt;
      }
      uint64_t wish = bit < map.toBits[unsigned(in)] ? uint64_t(1) << (firstBit(in, map.toBits) + bit) : 0;
      for (uint64_t k : kernel) {
        if ((x ^ wish) & llvm::bit_floor(k)) {
          x ^= k;
        }
      }
      columns.push_back(x);
    }
  }
  map.matrix = F2Matrix(columns);
  return map;
}

std::optional<F2Matrix> invert(const LinearLayout &layout) {
  return layout.matrix().rightInverse(layout.numElementBits());
}

std::optional<LinearLayout> divideLeft(const LinearLayout &layout, const LinearLayout &tile) {
  if (layout.rank() != tile.rank()) {
    return std::nullopt;
  }
  Coords shape;
  uint32_t inside = 0;
  for (unsigned d = 0; d < layout.rank(); ++d) {
    if (layout.shape()[d] < tile.shape()[d]) {
      return std::nullopt;
    }
    shape.push_back(layout.shape()[d] / tile.shape()[d]);
    inside |= uint32_t(tile.shape()[d] - 1) << layout.dimShift(d);
  }
  Flats parts[kNumIns];
  for (In in : kAllIns) {
    if (layout.numBits(in) < tile.numBits(in)) {
      return std::nullopt;
    }
    for (auto [bit, flat] : llvm::enumerate(layout.flatBases(in))) {
      if (bit < tile.numBits(in)) {
        if (layout.unflatten(flat) != tile.basis(in, bit)) {
          return std::nullopt;
        }
        continue;
      }
      if (flat & inside) {
        return std::nullopt;
      }
      parts[unsigned(in)].push_back(extractBits(flat, (layout.numElements() - 1) & ~inside));
    }
  }
  return LinearLayout::fromFlat(shape, parts[0], parts[1], parts[2], parts[3]);
}

LinearLayout product(const LinearLayout &tile, const LinearLayout &outer) {
  assert(tile.rank() == outer.rank());
  Coords shape;
  for (unsigned d = 0; d < tile.rank(); ++d) {
    shape.push_back(tile.shape()[d] * outer.shape()[d]);
  }
  llvm::SmallVector<Coords, 8> parts[kNumIns];
  for (In in : kAllIns) {
    parts[unsigned(in)] = tile.bases(in);
    for (Coords basis : outer.bases(in)) {
      for (unsigned d = 0; d < tile.rank(); ++d) {
        basis[d] *= tile.shape()[d];
      }
      parts[unsigned(in)].push_back(basis);
    }
  }
  return LinearLayout(shape, parts[0], parts[1], parts[2], parts[3]);
}

LinearLayout dropCoordinateBits(const LinearLayout &layout, uint32_t flatBits) {
  Coords shape;
  for (unsigned d = 0; d < layout.rank(); ++d) {
    shape.push_back(layout.shape()[d] >> llvm::popcount(flatBits & layout.dimMask(d)));
  }
  uint32_t keep = (layout.numElements() - 1) & ~flatBits;
  return mapBases(layout, shape, [&](uint32_t flat) { return extractBits(flat, keep); });
}

/// Bits of the flat number that tell parts apart.
static uint32_t bitsBetween(const LinearLayout &layout, llvm::ArrayRef<int32_t> shape) {
  uint32_t bits = 0;
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    bits |= static_cast<uint32_t>(layout.shape()[dim] - shape[dim]) << layout.dimShift(dim);
  }
  return bits;
}

std::optional<LinearLayout> part(const LinearLayout &layout, llvm::ArrayRef<int32_t> shape) {
  uint32_t between = bitsBetween(layout, shape);
  llvm::SmallVector<Coords, 8> registers;
  for (auto [flat, basis] : llvm::zip(layout.flatBases(In::Register), layout.bases(In::Register))) {
    if (flat & between && flat & ~between) {
      return std::nullopt;
    }
    if (!(flat & between)) {
      registers.push_back(basis);
    }
  }
  for (In in : {In::Lane, In::Warp}) {
    if (llvm::any_of(layout.flatBases(in), [&](uint32_t flat) { return flat & between; })) {
      return std::nullopt;
    }
  }
  return LinearLayout(shape, registers, layout.bases(In::Lane), layout.bases(In::Warp));
}

std::pair<uint32_t, uint32_t> partOf(const LinearLayout &layout, llvm::ArrayRef<int32_t> shape, uint32_t reg) {
  uint32_t between = bitsBetween(layout, shape), which = 0, inside = 0;
  unsigned next = 0;
  for (auto [bit, flat] : llvm::enumerate(layout.flatBases(In::Register))) {
    bool set = reg >> bit & 1;
    if (flat & between) {
      which ^= set ? flat : 0;
    } else {
      inside |= uint32_t(set) << next++;
    }
  }
  return {which, inside};
}

} // namespace phobos::layout
