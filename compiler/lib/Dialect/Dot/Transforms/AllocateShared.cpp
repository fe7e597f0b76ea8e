// dot-allocate-shared: places buffers and scratch in shared memory by their lifetimes. See Passes.td.
#include "phobos/Dialect/Dot/Transforms/ContractionPlan.h"
#include "phobos/Dialect/Dot/Transforms/Passes.h"
#include "phobos/Dialect/Dot/Transforms/SharedMemory.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace phobos::dot {

#define GEN_PASS_DEF_ALLOCATESHARED
#include "phobos/Dialect/Dot/Transforms/Passes.h.inc"

namespace {

constexpr uint64_t kAlignBytes = 128; // a row of all banks
constexpr uint64_t kBarrierBytes = 8; // an mbarrier: side by side, by which the simulator's checks tell them apart too
constexpr uint64_t kMaxApartBytes = 512, kMaxApartTotal = 4096;
constexpr uint64_t kPanelAlignBytes = 1024; // the period of the hardware's widest swizzle, which goes by the address

struct Area {
  Operation *owner;
  uint64_t bytes = 0, offset = 0;
  uint64_t align() const {
    if (isa<AllocBarriersOp>(owner)) {
      return kBarrierBytes;
    }
    auto alloc = dyn_cast<AllocOp>(owner);
    return alloc && alloc.getStage().getType().getPanelBytes() ? kPanelAlignBytes : kAlignBytes;
  }
  unsigned begin = 0, end = 0; // op numbers, both inclusive
  bool overlapsInTime(const Area &other) const { return begin <= other.end && other.begin <= end; }
};

/// Every buffer and scratch area with its lifetime. A use inside a loop that does not contain the owner lasts for all
/// of the loop.
SmallVector<Area> collectAreas(tile::KernelOp kernel) {
  llvm::DenseMap<Operation *, std::pair<unsigned, unsigned>> span; // first and last number inside an op
  unsigned number = 0;
  auto count = [&](auto &self, Operation *op) -> void {
    unsigned first = number++;
    for (Region &region : op->getRegions()) {
      for (Operation &inner : region.getOps()) {
        self(self, &inner);
      }
    }
    span[op] = {first, number - 1};
  };
  count(count, kernel);

  llvm::MapVector<Operation *, Area> areas;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (const SharedUse &use : sharedUses(op)) {
      Operation *lasting = op;
      for (Operation *up = op->getParentOp(); up && !isa<tile::KernelOp>(up); up = up->getParentOp()) {
        if (isa<LoopLikeOpInterface>(up) && !up->isProperAncestor(use.owner)) {
          lasting = up;
        }
      }
      auto [begin, end] = span[lasting];
      // The copy engine may signal at any time, and a block be drawn.
      if (isa<AllocBarriersOp, tile::QueueOp>(use.owner)) {
        end = number;
      }
      auto [entry, isNew] = areas.insert({use.owner, Area{use.owner, use.bytes, 0, begin, end}});
      if (!isNew) {
        entry->second.begin = std::min(entry->second.begin, begin);
        entry->second.end = std::max(entry->second.end, end);
      }
    }
  });
  return llvm::map_to_vector(areas, [](auto &pair) { return pair.second; });
}

/// Areas of which those of a few bytes overlap none, so that who writes one next need not wait for who reads it still;
/// unchanged where that would be many.
SmallVector<Area> keptApart(SmallVector<Area> areas) {
  auto isSmall = [](const Area &area) {
    return !isa<AllocOp, AllocBarriersOp, tile::QueueOp>(area.owner) && area.bytes <= kMaxApartBytes;
  };
  uint64_t total = 0;
  for (const Area &area : areas) {
    total += isSmall(area) ? llvm::alignTo(area.bytes, kAlignBytes) : 0;
  }
  if (total > kMaxApartTotal) {
    return areas;
  }
  for (Area &area : llvm::make_filter_range(areas, isSmall)) {
    area.begin = 0;
    area.end = std::numeric_limits<unsigned>::max();
  }
  return areas;
}

/// First fit, largest first.
uint64_t place(MutableArrayRef<Area> areas) {
  SmallVector<Area *> order;
  for (Area &area : areas) {
    area.bytes = llvm::alignTo(area.bytes, std::min(kAlignBytes, area.align()));
    order.push_back(&area);
  }
  // Equal ones in order of appearance, which is that of their addresses.
  llvm::sort(order, [](Area *x, Area *y) { return x->bytes != y->bytes ? x->bytes > y->bytes : x < y; });
  uint64_t total = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    Area &area = *order[i];
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t j = 0; j < i; ++j) {
        Area &other = *order[j];
        bool overlap = area.offset < other.offset + other.bytes && other.offset < area.offset + area.bytes;
        if (overlap && area.overlapsInTime(other)) {
          area.offset = llvm::alignTo(other.offset + other.bytes, area.align());
          moved = true;
        }
      }
    }
    total = std::max(total, area.offset + area.bytes);
  }
  return total;
}

std::string spelling(Type type) { // a diagnostic would quote it
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

struct AllocateShared final : impl::AllocateSharedBase<AllocateShared> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    const target::Chip &chip = chipOf(kernel);
    SmallVector<Area> all = collectAreas(kernel), areas = keptApart(all);
    uint64_t total = place(areas);
    if (total > chip.maxSharedBytes()) {
      areas = all;
      total = place(areas);
    }
    if (total > chip.maxSharedBytes()) {
      reportTooMuch(kernel, areas, total, chip);
      return signalPassFailure();
    }
    Builder b(kernel.getContext());
    for (const Area &area : areas) {
      if (auto alloc = dyn_cast<AllocOp>(area.owner)) {
        alloc.setOffset(area.offset);
      } else if (auto barriers = dyn_cast<AllocBarriersOp>(area.owner)) {
        barriers.setOffset(area.offset);
      } else {
        area.owner->setAttr(kSharedOffsetAttr, b.getI64IntegerAttr(area.offset));
      }
    }
    kernel->setAttr(kSharedBytesAttr, b.getI64IntegerAttr(total));
  }

  static void reportTooMuch(tile::KernelOp kernel, ArrayRef<Area> areas, uint64_t total, const target::Chip &chip) {
    auto error = kernel.emitError() << "kernel needs " << total << " bytes of shared memory; " << chip.name << " has "
                                    << chip.maxSharedBytes() << " for a CTA";
    unsigned stages = 1;
    for (const Area &area : areas) {
      Diagnostic &note = error.attachNote(area.owner->getLoc());
      if (auto alloc = dyn_cast<AllocOp>(area.owner)) {
        StageType type = alloc.getStage().getType();
        stages = std::max(stages, type.getSlots());
        note << area.bytes << " bytes: " << type.getSlots() << (type.getSlots() == 1 ? " slot" : " slots") << " of ";
        llvm::interleave(type.getShape(), [&](int64_t n) { note << n; }, [&] { note << " x "; });
        note << " " << spelling(type.getElementType()) << " for an operand of this contraction";
      } else {
        note << area.bytes << " bytes: scratch of " << area.owner->getName();
      }
    }
    if (stages > 1) {
      unsigned fit = stages * chip.maxSharedBytes() / total;
      error.attachNote() << "hint: " << (fit > 1 ? "at most " : "not even two of ") << (fit > 1 ? fit : stages)
                         << " stages of these tiles fit; or take smaller tiles";
    } else {
      error.attachNote() << "hint: not even one stage of these tiles fits; take smaller tiles";
    }
  }
};

} // namespace
} // namespace phobos::dot
