// Plans for moving a tile from one layout to another: which kind serves, and the trip through shared memory.
#include "phobos/Layout/Relayout.h"
#include "ShufflePlan.h"
#include "phobos/Layout/Swizzle.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cassert>

namespace phobos::layout {

// The two ends of a trip: layouts over the part of the tile that goes at once, and which registers of the whole they
// are.
namespace {
struct Trip {
  LinearLayout src, dst;
  llvm::SmallVector<unsigned, 8> srcBits, dstBits;     // register bit of the whole for each of the part
  llvm::SmallVector<unsigned, 8> srcChunks, dstChunks; // register bits that number the parts
  bool warpLocal = false;
};
} // namespace

// Takes register bit `bit` out of a layout and of the list that says where its register bits come from.
static unsigned takeRegisterBit(LinearLayout &layout, llvm::SmallVectorImpl<unsigned> &bits, unsigned bit) {
  unsigned whole = bits[bit];
  bits.erase(bits.begin() + bit);
  llvm::SmallVector<unsigned, 8> rest;
  for (unsigned i = 0; i < layout.numBits(In::Register); ++i) {
    if (i != bit) {
      rest.push_back(i);
    }
  }
  layout = selectRegisters(layout, rest);
  return whole;
}

// If warps hold the same piece of the tile on both sides, and pieces differ by whole coordinate bits, each warp can
// have scratch of its own: what is left are the coordinates inside the piece.
static void localiseWarps(Trip &trip) {
  uint32_t warpBits = 0;
  for (uint32_t flat : trip.src.flatBases(In::Warp)) {
    if (flat != 0 && (!isPowerOf2(flat) || (warpBits & flat))) {
      return;
    }
    warpBits |= flat;
  }
  for (In in : {In::Register, In::Lane, In::Block}) {
    if (llvm::any_of(trip.src.flatBases(in), [&](uint32_t flat) { return flat & warpBits; })) {
      return;
    }
  }
  // Where all data stays in its warp, dst's bases agree in these bits, or they would be out of src's reach.
  for ([[maybe_unused]] auto [from, to] : llvm::zip(trip.src.flatBases(In::Warp), trip.dst.flatBases(In::Warp))) {
    assert((to & warpBits) == from && "data leaves its warp");
  }
  trip.src = dropCoordinateBits(trip.src, warpBits);
  trip.dst = dropCoordinateBits(trip.dst, warpBits);
  trip.warpLocal = true;
}

// Halves the part by a coordinate bit that on both sides is one register bit by itself; the slowest such bit, so that
// vectors stay whole.
static bool halve(Trip &trip) {
  for (unsigned bit = trip.src.numElementBits(); bit-- > 0;) {
    uint32_t flat = 1u << bit;
    auto only = [&](const LinearLayout &side) -> int {
      if (llvm::count_if(side.flatBases(), [&](uint32_t f) { return f & flat; }) != 1) {
        return -1;
      }
      const uint32_t *at = llvm::find(side.flatBases(In::Register), flat);
      return at == side.flatBases(In::Register).end() ? -1 : int(at - side.flatBases(In::Register).begin());
    };
    int s = only(trip.src), d = only(trip.dst);
    if (s >= 0 && d >= 0) {
      trip.srcChunks.push_back(takeRegisterBit(trip.src, trip.srcBits, s));
      trip.dstChunks.push_back(takeRegisterBit(trip.dst, trip.dstBits, d));
      trip.src = dropCoordinateBits(trip.src, flat);
      trip.dst = dropCoordinateBits(trip.dst, flat);
      return true;
    }
  }
  return false;
}

// Issue slots of one side: wavefronts, and half a slot for each instruction, so that wide vectors win where both are
// free of conflicts and narrow ones where they save wavefronts.
static unsigned accessCost(const AccessPattern &pattern, const SharedLayout &shared) {
  unsigned elements = std::max(1u, pattern.bytesPerLane / shared.elemBytes());
  unsigned phases = std::max(1u, pattern.bytesPerLane / 4), accesses = pattern.layout.numRegisters() / elements;
  return accesses * phases * conflictDegree(pattern, shared) + accesses / 2;
}

// Register bits in vector-first order, of a part's layout and its list.
static void vectorsFirst(LinearLayout &layout, llvm::SmallVectorImpl<unsigned> &bits, llvm::ArrayRef<unsigned> order) {
  llvm::SmallVector<unsigned, 8> first = vectorFirstOrder(layout, order), moved;
  for (unsigned bit : first) {
    moved.push_back(bits[bit]);
  }
  layout = selectRegisters(layout, first);
  bits.assign(moved.begin(), moved.end());
}

// Scratch for one choice of the fastest dimension; the cost is left in `cost`.
static SharedPlan planScratch(Trip trip, unsigned elemBits, llvm::ArrayRef<unsigned> order, unsigned &cost) {
  SharedPlan plan;
  unsigned elemBytes = elemBits / 8;
  vectorsFirst(trip.src, trip.srcBits, order);
  vectorsFirst(trip.dst, trip.dstBits, order);
  // A wide vector on one side can leave the other no way round conflicts: then narrower ones may be cheaper.
  unsigned best = ~0u;
  for (unsigned limit = 16; limit >= 4; limit /= 2) {
    auto side = [&](const LinearLayout &layout) {
      return AccessPattern{layout, std::max(elemBytes, std::min(limit, contiguity(layout, order) * elemBytes))};
    };
    AccessPattern write = side(trip.src), read = side(trip.dst);
    SharedLayout scratch = chooseShared(trip.src.shape(), elemBits, order, write, read);
    unsigned moves = accessCost(write, scratch) + accessCost(read, scratch);
    if (moves < best) {
      best = moves;
      plan.scratch = scratch;
      plan.writeBytes = write.bytesPerLane;
      plan.readBytes = read.bytesPerLane;
    }
    if (conflictDegree(write, scratch) == 1 && conflictDegree(read, scratch) == 1) {
      break;
    }
  }
  plan.srcPart = trip.src;
  plan.dstPart = trip.dst;
  plan.warpLocal = trip.warpLocal;
  auto registers = [](llvm::ArrayRef<unsigned> bits, llvm::ArrayRef<unsigned> chunkBits) {
    llvm::SmallVector<llvm::SmallVector<uint32_t, 16>, 1> out;
    for (uint32_t chunk = 0; chunk < 1u << chunkBits.size(); ++chunk) {
      auto &list = out.emplace_back();
      for (uint32_t reg = 0; reg < 1u << bits.size(); ++reg) {
        list.push_back(selectedRegister(chunk, chunkBits) | selectedRegister(reg, bits));
      }
    }
    return out;
  };
  plan.srcRegisters = registers(trip.srcBits, trip.srcChunks);
  plan.dstRegisters = registers(trip.dstBits, trip.dstChunks);
  plan.totalBytes = plan.bytesPerWarp = plan.scratch.sizeBytes();
  if (trip.warpLocal) {
    plan.totalBytes *= trip.src.numWarps();
  }
  unsigned sync = trip.warpLocal ? kWarpSyncCost : kBlockSyncCost;
  cost = plan.chunks() * best + (2 * plan.chunks() - 1) * sync;
  return plan;
}

static SharedPlan planShared(const LinearLayout &src, const LinearLayout &dst, unsigned elemBits,
                             const RelayoutOptions &options, bool staysInWarp, unsigned &cost) {
  Trip trip;
  trip.srcBits = independentRegisters(src);
  trip.dstBits = independentRegisters(dst);
  trip.src = selectRegisters(src, trip.srcBits);
  trip.dst = selectRegisters(dst, trip.dstBits);
  if (staysInWarp) {
    localiseWarps(trip);
  }
  auto bytes = [&] {
    uint64_t piece = uint64_t(trip.src.numElements()) * (elemBits / 8);
    return trip.warpLocal ? piece * trip.src.numWarps() : piece;
  };
  while (options.maxScratchBytes != 0 && bytes() > options.maxScratchBytes && halve(trip)) {
  }
  SharedPlan best;
  cost = ~0u;
  unsigned rank = trip.src.rank();
  for (unsigned fastest = rank; fastest-- > 0 || rank == 0;) {
    llvm::SmallVector<unsigned, 4> order;
    if (rank != 0) {
      order.push_back(fastest);
    }
    for (unsigned d = rank; d-- > 0;) {
      if (d != fastest) {
        order.push_back(d);
      }
    }
    unsigned thisCost = 0;
    SharedPlan plan = planScratch(trip, elemBits, order, thisCost);
    if (thisCost < cost) {
      best = std::move(plan);
      cost = thisCost;
    }
    if (rank == 0) {
      break;
    }
  }
  best.dstCopy = registerCopies(dst);
  return best;
}

std::optional<RelayoutPlan> planRelayout(const LinearLayout &src, const LinearLayout &dst, unsigned elemBits,
                                         RelayoutOptions options) {
  elemBits = std::max(8u, elemBits);
  assert(src.numBits(In::Warp) == dst.numBits(In::Warp) && src.numBits(In::Block) == dst.numBits(In::Block) &&
         "layouts of different numbers of threads");
  std::optional<PlaceMap> map = invertAndCompose(src, dst);
  if (!map || !map->keeps(In::Block)) {
    return std::nullopt;
  }
  RelayoutPlan plan;
  if (map->keeps(In::Lane) && map->keeps(In::Warp)) {
    for (uint32_t reg = 0; reg < dst.numRegisters(); ++reg) {
      plan.registers.push_back(map->apply(Place{reg, 0, 0, 0}).reg);
    }
    bool same = src.numRegisters() == dst.numRegisters();
    for (auto [i, reg] : llvm::enumerate(plan.registers)) {
      same &= reg == i;
    }
    plan.kind = same ? RelayoutKind::None : RelayoutKind::RegisterPermute;
    return plan;
  }
  plan.kind = RelayoutKind::Shared;
  plan.shared = planShared(src, dst, elemBits, options, map->same(In::Warp), plan.cost);
  if (options.allowShuffle && map->keeps(In::Warp)) {
    if (std::optional<ShufflePlan> shuffle = planShuffle(src, dst, *map, elemBits)) {
      unsigned cost = shuffle->numShuffles(elemBits) + shuffle->numSelects(elemBits) / 2;
      if (cost <= plan.cost) {
        plan.kind = RelayoutKind::Shuffle;
        plan.cost = cost;
        plan.shuffle = std::move(*shuffle);
        plan.shared = SharedPlan();
      }
    }
  }
  return plan;
}

void RelayoutPlan::print(llvm::raw_ostream &os) const {
  switch (kind) {
  case RelayoutKind::None:
    os << "none";
    return;
  case RelayoutKind::RegisterPermute:
    os << "registers [";
    llvm::interleave(registers, os, ",");
    os << ']';
    return;
  case RelayoutKind::Shuffle:
    os << "shuffle rounds=" << shuffle.rounds.size() << " unit=" << shuffle.unit
       << " sendSwaps=" << shuffle.sendSwaps.size() << " landSwaps=" << shuffle.landSwaps.size()
       << (shuffle.butterfly ? " butterfly" : "");
    break;
  case RelayoutKind::Shared:
    os << "shared bytes=" << shared.totalBytes << " chunks=" << shared.chunks() << " write=" << shared.writeBytes
       << " read=" << shared.readBytes << (shared.warpLocal ? " warpLocal" : "") << " {";
    shared.scratch.print(os);
    os << '}';
    break;
  }
  os << " cost=" << cost;
}

} // namespace phobos::layout
