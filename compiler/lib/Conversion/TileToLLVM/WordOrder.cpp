// In which order the words of elementwise operations in a row are computed.
#include "phobos/Conversion/WordOrder.h"

#include "phobos/Dialect/Dot/IR/Dot.h"

using namespace mlir;

namespace phobos::lowering {
namespace {

bool isProduct(Operation &op) { return isa<dot::MmaOp, dot::WgmmaOp, dot::FmaOp>(op); }

bool makesTile(Operation *op) { return op->getNumResults() == 1 && tile::isTile(op->getResult(0).getType()); }

bool isElementwise(Operation *op) { return op->hasTrait<OpTrait::Elementwise>() && makesTile(op); }

} // namespace

WordOrder::WordOrder(Lowering &lowering, Block &block) : l(lowering), outer(lowering.wordOrder) {
  active = llvm::none_of(block, isProduct);
  l.wordOrder = this;
}

WordOrder::~WordOrder() { l.wordOrder = outer; }

bool WordOrder::belongs(Operation *op) const {
  if (isa<tile::RelayoutOp, tile::PartOp>(op)) { // may meet other threads
    return false;
  }
  return isa<tile::LoadOp>(op) || (op->getNumRegions() == 0 && isMemoryEffectFree(op));
}

void WordOrder::next(Operation *op) {
  if (!active) {
    return;
  }
  if (!op || !belongs(op)) {
    isBehind |= op && op->walk([](Operation *each) {
                          return isProduct(*each) ? WalkResult::interrupt() : WalkResult::advance();
                        }).wasInterrupted();
    return finish();
  }
  if (run.empty()) {
    into = l.b.getInsertionBlock();
    auto at = l.b.getInsertionPoint();
    before = at == into->begin() ? nullptr : &*std::prev(at);
    order.clear();
    results.clear();
  }
  run.push_back(op);
}

void WordOrder::finish() {
  SmallVector<Operation *> ops = std::exchange(run, {});
  if (!isBehind || llvm::count_if(ops, isElementwise) < 2 || l.b.getInsertionBlock() != into) {
    return;
  }
  llvm::SmallPtrSet<Operation *, 16> inRun(ops.begin(), ops.end());
  size_t words = 0, elements = 0;
  for (Operation *op : ops) {
    bool seen = llvm::any_of(op->getUsers(), [&](Operation *user) { return !inRun.contains(user); });
    if (seen && makesTile(op) && !isa<tile::LoadOp>(op)) {
      results.emplace_back(l.words(op->getResult(0)));
      words = std::max(words, results.back().size());
      elements = std::max(elements, results.back().size() * l.pack(cast<RankedTensorType>(op->getResult(0).getType())));
    }
  }
  auto range = llvm::make_range(before ? std::next(before->getIterator()) : into->begin(), l.b.getInsertionPoint());
  SmallVector<Operation *> all = llvm::map_to_vector(range, [](Operation &op) { return &op; });
  auto movable = [](Operation *op) { return isa<LLVM::LoadOp>(op) || isMemoryEffectFree(op); };
  if (elements < kManySums || !llvm::all_of(all, movable)) {
    return;
  }
  unplaced.insert(all.begin(), all.end());
  for (Operation *op : all) {
    if (isa<LLVM::LoadOp>(op)) {
      place(op);
    }
  }
  for (size_t word = 0; word < words; ++word) {
    for (ArrayRef<Value> result : results) {
      if (Operation *op = word < result.size() ? result[word].getDefiningOp() : nullptr) {
        place(op);
      }
    }
  }
  llvm::for_each(all, [&](Operation *op) { place(op); });
  for (Operation *op : order) {
    op->moveBefore(into, l.b.getInsertionPoint());
  }
}

void WordOrder::place(Operation *op) {
  if (!unplaced.erase(op)) {
    return;
  }
  for (Value operand : op->getOperands()) {
    if (Operation *needed = operand.getDefiningOp()) {
      place(needed);
    }
  }
  order.push_back(op);
}

void WordOrder::divide(ArrayRef<unsigned> partOfWord) {
  // From the last use back: the earliest part that needs it; what is used elsewhere stays.
  parts.clear();
  llvm::DenseMap<Value, unsigned> wanted;
  for (ArrayRef<Value> words : results) {
    for (size_t word = 0; word < words.size() && words.size() == partOfWord.size(); ++word) {
      auto [entry, isNew] = wanted.try_emplace(words[word], partOfWord[word]);
      entry->second = std::min(entry->second, partOfWord[word]);
    }
  }
  llvm::SmallPtrSet<Operation *, 16> emitted(order.begin(), order.end());
  for (Operation *op : llvm::reverse(order)) {
    std::optional<unsigned> part;
    bool stays = isa<LLVM::LoadOp>(op) || op->getNumResults() != 1 || op->getBlock() != into;
    if (auto found = stays ? wanted.end() : wanted.find(op->getResult(0)); found != wanted.end()) {
      part = found->second;
    }
    for (Operation *user : op->getUsers()) {
      std::optional<unsigned> theirs = emitted.contains(user) ? parts[user] : std::nullopt;
      stays |= !theirs;
      part = theirs ? std::min(part.value_or(*theirs), *theirs) : part;
    }
    parts[op] = stays ? std::nullopt : part;
  }
}

void WordOrder::bring(unsigned part) {
  for (Operation *op : order) {
    if (parts.lookup(op) == std::optional(part)) {
      op->moveBefore(l.b.getInsertionBlock(), l.b.getInsertionPoint());
    }
  }
}

} // namespace phobos::lowering
