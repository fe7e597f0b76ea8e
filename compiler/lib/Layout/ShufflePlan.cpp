// Shuffles from one layout to another within the warp.
//
// Lane l wants for its word t the word C t ^ D l of lane A t ^ B l. Asked in this order two lanes may want different
// words of one lane at once (a transpose between lanes and registers does: B forgets a lane bit). So in round t lane l
// asks for word t ^ R l instead, with R chosen so that the source lane, A t ^ (B + A R) l, tells all lanes that want
// different words apart. Then what a lane sends depends on the lane alone: C t ^ M (A t) ^ M s, where M undoes L = B +
// A R and applies N = D + C R.
#include "ShufflePlan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cassert>

namespace phobos::layout {

uint32_t ShufflePlan::sourceLane(const ShuffleRound &round, uint32_t lane) const {
  uint32_t from = round.laneConst;
  for (unsigned bit = 0; bit < laneMap.size(); ++bit) {
    from ^= (lane >> bit & 1) ? laneMap[bit] : 0;
  }
  return from;
}

static unsigned instructionsPerWord(unsigned elemBits, unsigned unit) { return std::max(1u, elemBits * unit / 32); }

unsigned ShufflePlan::numShuffles(unsigned elemBits) const {
  return unsigned(llvm::count_if(rounds, [](const ShuffleRound &r) { return !r.local; })) *
         instructionsPerWord(elemBits, unit);
}

unsigned ShufflePlan::numSelects(unsigned elemBits) const {
  size_t words = srcWords.size() / unit * sendSwaps.size() + dstWords.size() / unit * landSwaps.size();
  return unsigned(words) * instructionsPerWord(elemBits, unit);
}

// Moves the bits of x to the places in `bits`: bit i to bits[i].
static uint32_t spreadBits(uint32_t x, llvm::ArrayRef<unsigned> bits) {
  uint32_t out = 0;
  for (auto [i, to] : llvm::enumerate(bits)) {
    out |= (x >> i & 1) << to;
  }
  return out;
}

static uint32_t gatherBits(uint32_t x, llvm::ArrayRef<unsigned> bits) {
  uint32_t out = 0;
  for (auto [i, from] : llvm::enumerate(bits)) {
    out |= (x >> from & 1) << i;
  }
  return out;
}

// Every bit of the word number that `lanes` (image of each lane bit) flips, with the lane bits that flip it.
static llvm::SmallVector<RegisterSwap, 4> swapsOf(const F2Matrix &lanes) {
  llvm::SmallVector<RegisterSwap, 4> swaps;
  F2Matrix byWordBit = lanes.transposed(32);
  for (auto [bit, mask] : llvm::enumerate(byWordBit.columns())) {
    if (mask != 0) {
      swaps.push_back({1u << bit, uint32_t(mask)});
    }
  }
  return swaps;
}

// The linear map with map(from[i]) == to[i], zero on a complement.
static F2Matrix mapThrough(llvm::ArrayRef<uint64_t> from, llvm::ArrayRef<uint64_t> to, unsigned bits) {
  F2Basis basis;
  llvm::SmallVector<uint64_t, 24> images(to.begin(), to.end());
  for (uint64_t v : from) {
    [[maybe_unused]] bool independent = basis.insert(v);
    assert(independent && "images of dependent vectors");
  }
  for (unsigned bit = 0; bit < bits; ++bit) {
    if (!basis.contains(uint64_t(1) << bit)) {
      basis.insert(uint64_t(1) << bit);
      images.push_back(0);
    }
  }
  F2Matrix map;
  llvm::SmallVector<uint64_t, 24> columns;
  for (unsigned bit = 0; bit < bits; ++bit) {
    uint64_t used = 0;
    basis.reduce(uint64_t(1) << bit, &used);
    columns.push_back(F2Matrix(images).apply(used));
  }
  return F2Matrix(columns);
}

namespace {

// The four parts of the map after words are formed: to source lane (A, B) and source word (C, D), from dst word (A, C)
// and lane (B, D).
struct Parts {
  F2Matrix a, b, c, d;
};

// Register bits that travel inside a word, and the bits left to number words, of one side.
struct WordBits {
  llvm::SmallVector<unsigned, 2> inside;
  llvm::SmallVector<unsigned, 8> number;
};

} // namespace

// R of the file's opening: an order of dst words for each lane; nothing if A cannot reach what B forgets.
static std::optional<F2Matrix> laneOrder(const Parts &p, unsigned laneBits) {
  // Lanes that B sends to one lane, wanting different words: complete what B and D both forget to what B forgets.
  F2Matrix both;
  {
    llvm::SmallVector<uint64_t, 24> columns;
    for (unsigned bit = 0; bit < laneBits; ++bit) {
      columns.push_back(p.b[bit] | p.d[bit] << 32);
    }
    both = F2Matrix(columns);
  }
  F2Basis forgotten;
  llvm::SmallVector<uint64_t, 8> from, to;
  for (uint64_t k : both.kernel()) {
    forgotten.insert(k);
    from.push_back(k);
    to.push_back(0);
  }
  llvm::SmallVector<uint64_t, 8> apart;
  for (uint64_t k : p.b.kernel()) {
    if (forgotten.insert(k)) {
      apart.push_back(k);
    }
  }
  // Dst word bits whose source lanes B does not reach; where one leads to the very lane bit that is missing, take that
  // one, for the lanes then only move by XOR with a constant.
  F2Basis reached;
  for (uint64_t column : p.b.columns()) {
    reached.insert(column);
  }
  llvm::SmallVector<bool, 16> used(p.a.numColumns(), false);
  for (uint64_t k : apart) {
    int choice = -1;
    for (unsigned bit = 0; bit < p.a.numColumns(); ++bit) {
      if (!used[bit] && !reached.contains(p.a[bit]) && (choice < 0 || (p.a[bit] == k && p.a[choice] != k))) {
        choice = int(bit);
      }
    }
    if (choice < 0) {
      return std::nullopt;
    }
    used[choice] = true;
    reached.insert(p.a[choice]);
    from.push_back(k);
    to.push_back(uint64_t(1) << choice);
  }
  return mapThrough(from, to, laneBits);
}

std::optional<ShufflePlan> planShuffle(const LinearLayout &src, const LinearLayout &dst, const PlaceMap &map,
                                       unsigned elemBits) {
  unsigned laneBits = dst.numBits(In::Lane);
  if (laneBits != 5 || src.numBits(In::Lane) != 5) {
    return std::nullopt;
  }
  ShufflePlan plan;
  // Register bits of dst that are worth asking for, and pairs that travel inside a word: dst bit i is src bit j and
  // nothing else is.
  llvm::SmallVector<unsigned, 8> wanted = independentRegisters(dst);
  WordBits dstBits, srcBits;
  for (unsigned bit : wanted) {
    Place from = map.column(In::Register, bit);
    bool alone = from.lane == 0 && isPowerOf2(from.reg);
    for (unsigned other : wanted) {
      alone &= other == bit || (map.column(In::Register, other).reg & from.reg) == 0;
    }
    for (unsigned lane = 0; lane < laneBits; ++lane) {
      alone &= (map.column(In::Lane, lane).reg & from.reg) == 0;
    }
    if (alone && elemBits << (dstBits.inside.size() + 1) <= 32) {
      dstBits.inside.push_back(bit);
      srcBits.inside.push_back(log2Exact(from.reg));
    } else {
      dstBits.number.push_back(bit);
    }
  }
  for (unsigned bit = 0; bit < src.numBits(In::Register); ++bit) {
    if (!llvm::is_contained(srcBits.inside, bit)) {
      srcBits.number.push_back(bit);
    }
  }
  plan.unit = 1u << dstBits.inside.size();
  auto list = [&](llvm::SmallVector<uint32_t, 16> &out, const WordBits &bits) {
    for (uint32_t word = 0; word < 1u << bits.number.size(); ++word) {
      for (uint32_t e = 0; e < plan.unit; ++e) {
        out.push_back(spreadBits(word, bits.number) | spreadBits(e, bits.inside));
      }
    }
  };
  list(plan.srcWords, srcBits);
  list(plan.dstWords, dstBits);
  plan.dstCopy = registerCopies(dst);

  Parts p;
  llvm::SmallVector<uint64_t, 24> a, b, c, d;
  for (unsigned bit : dstBits.number) {
    Place from = map.column(In::Register, bit);
    a.push_back(from.lane);
    c.push_back(gatherBits(from.reg, srcBits.number));
  }
  for (unsigned bit = 0; bit < laneBits; ++bit) {
    Place from = map.column(In::Lane, bit);
    b.push_back(from.lane);
    d.push_back(gatherBits(from.reg, srcBits.number));
  }
  p = {F2Matrix(a), F2Matrix(b), F2Matrix(c), F2Matrix(d)};
  std::optional<F2Matrix> order = laneOrder(p, laneBits);
  if (!order) {
    return std::nullopt;
  }
  // L and N, then M with M L = N.
  llvm::SmallVector<uint64_t, 24> l, n;
  for (unsigned bit = 0; bit < laneBits; ++bit) {
    l.push_back(p.b[bit] ^ p.a.apply((*order)[bit]));
    n.push_back(p.d[bit] ^ p.c.apply((*order)[bit]));
    plan.laneMap[bit] = uint32_t(l.back());
    plan.butterfly &= plan.laneMap[bit] == 1u << bit;
  }
  llvm::SmallVector<uint64_t, 8> reached, words;
  F2Basis basis;
  for (unsigned bit = 0; bit < laneBits; ++bit) {
    if (basis.insert(l[bit])) {
      reached.push_back(l[bit]);
      words.push_back(n[bit]);
    }
  }
  F2Matrix send = mapThrough(reached, words, laneBits);
  assert(send.compose(F2Matrix(l)) == F2Matrix(n) && "two lanes want different words of one lane");
  plan.sendSwaps = swapsOf(send);
  plan.landSwaps = swapsOf(*order);
  for (uint32_t t = 0; t < 1u << dstBits.number.size(); ++t) {
    ShuffleRound round;
    round.laneConst = uint32_t(p.a.apply(t));
    round.send = uint32_t(p.c.apply(t) ^ send.apply(round.laneConst));
    round.land = t;
    round.local = plan.butterfly && round.laneConst == 0;
    plan.rounds.push_back(round);
  }
  return plan;
}

} // namespace phobos::layout
