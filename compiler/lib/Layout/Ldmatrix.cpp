// Whether fragments fit ldmatrix, read off where each hardware bit goes in shared memory.
#include "phobos/Layout/Ldmatrix.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cassert>

namespace phobos::layout {

static constexpr uint32_t kRowBytes = 16;

namespace {

// What a bit must be: its offset in shared memory, and its coordinates.
struct Bit {
  uint32_t offset = 0, flat = 0;
  bool startsRow() const { return offset % kRowBytes == 0; }
};

} // namespace

static llvm::SmallVector<Bit, 8> bitsOf(const LinearLayout &layout, const SharedLayout &shared, In in) {
  llvm::SmallVector<Bit, 8> out;
  for (uint32_t flat : layout.flatBases(in)) {
    out.push_back({shared.offsetFlat(flat), flat});
  }
  return out;
}

// Padded rows add up: their constants only stand for bits if no coordinate bit is moved twice.
static bool addsUp(const LinearLayout &layout) {
  uint32_t seen = 0;
  for (uint32_t flat : layout.flatBases()) {
    if (seen & flat) {
      return false;
    }
    seen |= flat;
  }
  return true;
}

std::optional<LdmatrixPlan> planLdmatrix(const LinearLayout &operand, const SharedLayout &shared, unsigned elemBits) {
  assert(operand.shape() == shared.shape() && elemBits == shared.elemBits());
  if (elemBits > 32 || operand.numBits(In::Lane) != 5) {
    return std::nullopt;
  }
  llvm::SmallVector<unsigned, 8> kept = independentRegisters(operand);
  LinearLayout fragment = selectRegisters(operand, kept);
  if (shared.isPadded() && !addsUp(fragment)) {
    return std::nullopt;
  }
  llvm::SmallVector<Bit, 8> regs = bitsOf(fragment, shared, In::Register), lanes = bitsOf(fragment, shared, In::Lane);
  for (In in : {In::Warp, In::Block}) {
    if (!llvm::all_of(bitsOf(fragment, shared, in), [](const Bit &bit) { return bit.startsRow(); })) {
      return std::nullopt;
    }
  }
  LdmatrixPlan plan;
  plan.perWord = 32 / elemBits;
  llvm::SmallVector<unsigned, 4> wordBits; // register bits inside a 32-bit register
  Flats rowBits;                           // what moves along the eight rows of a matrix
  unsigned elemBytes = elemBits / 8;
  bool plain = lanes[0].offset == 4 && lanes[1].offset == 8;
  for (uint32_t bytes = elemBytes; plain && bytes < 4; bytes *= 2) {
    auto *at = llvm::find_if(regs, [&](const Bit &bit) { return bit.offset == bytes; });
    plain = at != regs.end();
    wordBits.push_back(at - regs.begin());
  }
  if (plain) {
    plain = llvm::all_of(llvm::ArrayRef(lanes).drop_front(2), [](const Bit &bit) { return bit.startsRow(); });
    rowBits = {lanes[2].flat, lanes[3].flat, lanes[4].flat};
  }
  if (!plain) {
    // Transposed: the word's two elements and lane bits 0, 1 go from row to row, lane bits 2 to 4 along the row.
    bool transposed = elemBits == 16 && !regs.empty() && kept[0] == 0 && regs[0].startsRow() && lanes[0].startsRow() &&
                      lanes[1].startsRow() && lanes[2].offset == 2 && lanes[3].offset == 4 && lanes[4].offset == 8;
    if (!transposed) {
      return std::nullopt;
    }
    plan.transposed = true;
    wordBits = {0};
    rowBits = {regs[0].flat, lanes[0].flat, lanes[1].flat};
  }
  // The other register bits: the first two choose the matrix, the rest repeat the instruction.
  llvm::SmallVector<unsigned, 8> matrixBits, repeatBits;
  for (unsigned bit = 0; bit < regs.size(); ++bit) {
    if (llvm::is_contained(wordBits, bit)) {
      continue;
    }
    if (!regs[bit].startsRow()) {
      return std::nullopt;
    }
    (matrixBits.size() < 2 ? matrixBits : repeatBits).push_back(bit);
  }
  plan.matrices = 1u << matrixBits.size();
  Flats laneBases = rowBits, repeatBases;
  for (unsigned i = 0; i < 2; ++i) {
    laneBases.push_back(i < matrixBits.size() ? regs[matrixBits[i]].flat : 0);
  }
  for (unsigned bit : repeatBits) {
    repeatBases.push_back(regs[bit].flat);
  }
  plan.rowLayout = LinearLayout::fromFlat(fragment.shape(), repeatBases, laneBases, fragment.flatBases(In::Warp),
                                          fragment.flatBases(In::Block));
  for (uint32_t repeat = 0; repeat < 1u << repeatBits.size(); ++repeat) {
    for (uint32_t matrix = 0; matrix < plan.matrices; ++matrix) {
      for (uint32_t e = 0; e < plan.perWord; ++e) {
        uint32_t reg =
            selectedRegister(repeat, repeatBits) | selectedRegister(matrix, matrixBits) | selectedRegister(e, wordBits);
        plan.registers.push_back(selectedRegister(reg, kept));
      }
    }
  }
  plan.copyOf = registerCopies(operand);
  return plan;
}

std::optional<LdmatrixPlan> planStmatrix(const LinearLayout &fragment, const SharedLayout &shared, unsigned elemBits) {
  return elemBits == 16 ? planLdmatrix(fragment, shared, elemBits) : std::nullopt;
}

} // namespace phobos::layout
