// Shared-memory layouts as tables of constants for coordinate bits.
#include "phobos/Layout/SharedLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cassert>

namespace phobos::layout {

static constexpr unsigned kChunkBytes = 16;

static unsigned dimShiftOf(llvm::ArrayRef<int32_t> shape, unsigned dim) {
  unsigned shift = 0;
  for (unsigned d = shape.size(); --d > dim;) {
    shift += log2Exact(shape[d]);
  }
  return shift;
}

SharedLayout::SharedLayout(llvm::ArrayRef<int32_t> shape, unsigned elemBits, llvm::ArrayRef<unsigned> order)
    : extents(shape.begin(), shape.end()), dims(order.begin(), order.end()), bits(elemBits) {
  assert(elemBits >= 8 && isPowerOf2(elemBits) && "elements of whole bytes");
  assert(order.size() == shape.size());
  unsigned total = 0;
  for (int32_t extent : shape) {
    total += log2Exact(extent);
  }
  offsets.assign(total, 0);
}

SharedLayout SharedLayout::plain(llvm::ArrayRef<int32_t> shape, unsigned elemBits, llvm::ArrayRef<unsigned> order,
                                 unsigned rowPitchBytes) {
  SharedLayout layout(shape, elemBits, order);
  uint32_t next = layout.elemBytes();
  layout.pitch = shape.empty() ? next : layout.rowBytes();
  for (unsigned i = 0; i < order.size(); ++i) {
    for (unsigned bit = 0; bit < log2Exact(shape[order[i]]); ++bit, next *= 2) {
      layout.offsets[dimShiftOf(shape, order[i]) + bit] = next;
    }
    if (i == 0 && rowPitchBytes != 0) {
      assert(rowPitchBytes >= next && rowPitchBytes % layout.elemBytes() == 0 && "rows would overlap");
      next = layout.pitch = rowPitchBytes;
    }
  }
  layout.padded = !isPowerOf2(layout.pitch);
  layout.size = next;
  return layout;
}

// XORs masks[i] into every constant that is bit i of the plain offset.
void SharedLayout::swizzle(llvm::ArrayRef<uint32_t> masks) {
  assert(!padded && "padding and swizzling exclude each other");
  for (uint32_t &offset : offsets) {
    unsigned bit = log2Exact(offset);
    if (bit < masks.size() && masks[bit] != 0) {
      assert(masks[bit] < offset && "a mask changes lower bits only");
      offset ^= masks[bit];
      anySwizzle = true;
    }
  }
}

// The XOR swizzle of 16-byte chunks for rows of rowBytes, as masks by offset bit.
static llvm::SmallVector<uint32_t, 32> chunkMasks(unsigned rowBytes) {
  llvm::SmallVector<uint32_t, 32> masks(32, 0);
  unsigned chunks = std::min(8u, rowBytes / kChunkBytes);
  for (unsigned i = 0; (1u << i) < chunks; ++i) {
    unsigned rowBit = i + (chunks < 8 ? log2Exact(8 / chunks) : 0);
    masks[log2Exact(rowBytes) + rowBit] = kChunkBytes << i;
  }
  return masks;
}

SharedLayout SharedLayout::swizzled(llvm::ArrayRef<int32_t> shape, unsigned elemBits, llvm::ArrayRef<unsigned> order) {
  SharedLayout layout = plain(shape, elemBits, order);
  unsigned row = layout.rowBytes();
  layout.swizzle(chunkMasks(row));
  if (row == 128 || row == 64 || row == 32) {
    layout.hardware = row;
  }
  return layout;
}

SharedLayout SharedLayout::panels(llvm::ArrayRef<int32_t> shape, unsigned elemBits, llvm::ArrayRef<unsigned> order,
                                  unsigned swizzleBytes) {
  assert((swizzleBytes == 128 || swizzleBytes == 64 || swizzleBytes == 32) &&
         "the hardware swizzles 32, 64 or 128 bytes");
  SharedLayout layout = plain(shape, elemBits, order);
  unsigned width = std::min(swizzleBytes, layout.rowBytes());
  unsigned rows = layout.size / layout.rowBytes();
  for (uint32_t &offset : layout.offsets) {
    if (offset >= layout.rowBytes()) {
      offset = offset / layout.rowBytes() * width; // a row's bit
    } else if (offset >= width) {
      offset = offset / width * width * rows; // which panel
    }
  }
  // Within a panel the masks are those of rows of `width`; bits above the rows are panels, which the hardware does not
  // look at.
  llvm::SmallVector<uint32_t, 32> masks = chunkMasks(width);
  masks.resize(std::min<size_t>(masks.size(), log2Exact(width) + log2Exact(rows)));
  layout.swizzle(masks);
  layout.panel = width < layout.rowBytes() ? width : 0;
  layout.pitch = width;
  layout.hardware = width >= 32 ? width : 0;
  return layout;
}

SharedLayout SharedLayout::withMasks(llvm::ArrayRef<int32_t> shape, unsigned elemBits, llvm::ArrayRef<unsigned> order,
                                     llvm::ArrayRef<uint32_t> masks) {
  SharedLayout layout = plain(shape, elemBits, order);
  layout.swizzle(masks);
  return layout;
}

SharedLayout SharedLayout::fromLinear(llvm::ArrayRef<int32_t> shape, unsigned elemBits,
                                      llvm::ArrayRef<uint32_t> bitOffsets) {
  llvm::SmallVector<unsigned, 4> order;
  for (unsigned d = 0; d < shape.size(); ++d) {
    order.push_back(d);
  }
  // Fastest is the dimension whose lowest bit lies lowest; dimensions of extent 1 last.
  auto lowest = [&](unsigned d) { return shape[d] == 1 ? ~0u : bitOffsets[dimShiftOf(shape, d)]; };
  llvm::sort(order, [&](unsigned a, unsigned b) { return std::pair(lowest(a), a) < std::pair(lowest(b), b); });
  SharedLayout layout(shape, elemBits, order);
  assert(bitOffsets.size() == layout.offsets.size());
  layout.offsets.assign(bitOffsets.begin(), bitOffsets.end());
  layout.size = layout.elemBytes() << bitOffsets.size();
  layout.pitch = shape.empty() ? layout.elemBytes() : layout.rowBytes();
  layout.anySwizzle = llvm::any_of(bitOffsets, [](uint32_t offset) { return !isPowerOf2(offset); });
  return layout;
}

uint32_t SharedLayout::offsetFlat(uint32_t flat) const {
  uint32_t offset = 0;
  for (; flat; flat &= flat - 1) {
    uint32_t constant = offsets[llvm::countr_zero(flat)];
    offset = padded ? offset + constant : offset ^ constant;
  }
  return offset;
}

uint32_t SharedLayout::offset(llvm::ArrayRef<int32_t> coords) const {
  assert(coords.size() == extents.size());
  uint32_t flat = 0;
  for (unsigned d = 0; d < extents.size(); ++d) {
    assert(coords[d] >= 0 && coords[d] < extents[d] && "coordinate outside the tile");
    flat = (flat << log2Exact(extents[d])) | uint32_t(coords[d]);
  }
  return offsetFlat(flat);
}

F2Matrix SharedLayout::asLinear() const {
  assert(!padded && "padded rows are not linear over F2");
  llvm::SmallVector<uint64_t, 24> columns(offsets.begin(), offsets.end());
  return F2Matrix(columns);
}

unsigned SharedLayout::contiguousBytes() const {
  if (extents.empty()) {
    return elemBytes();
  }
  unsigned shift = dimShiftOf(extents, dims[0]), bytes = elemBytes();
  for (unsigned bit = 0; bit < log2Exact(extents[dims[0]]); ++bit, bytes *= 2) {
    bool alone = true;
    for (auto [i, offset] : llvm::enumerate(offsets)) {
      alone &= i == shift + bit ? offset == bytes : i < shift + bit && i >= shift ? true : offset % (2 * bytes) == 0;
    }
    if (!alone) {
      break;
    }
  }
  return bytes;
}

bool SharedLayout::operator==(const SharedLayout &other) const {
  return extents == other.extents && bits == other.bits && padded == other.padded && size == other.size &&
         offsets == other.offsets && hardware == other.hardware && panel == other.panel && pitch == other.pitch;
}

void SharedLayout::print(llvm::raw_ostream &os) const {
  auto list = [&](auto values) {
    os << '[';
    llvm::interleave(values, os, ",");
    os << ']';
  };
  os << "shape=";
  list(extents);
  os << " bits=" << bits << " order=";
  list(dims);
  os << " pitch=" << pitch;
  if (panel) {
    os << " panel=" << panel;
  }
  if (hardware && anySwizzle) {
    os << " swizzle=" << hardware << 'B';
  } else if (anySwizzle) {
    os << " offsets=";
    list(offsets);
  }
}

std::string SharedLayout::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

} // namespace phobos::layout
