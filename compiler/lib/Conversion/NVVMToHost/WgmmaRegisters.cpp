// What wgmmas ask of registers, which the simulator cannot see when it runs them: results that are used before a wait
// covers their group, and registers written after the last wgmma.fence. A data flow over the kernel's values finds
// both, on some path; what it finds is reported when the place is reached.
#include "WgmmaOps.h"

#include "llvm/ADT/PostOrderIterator.h"

using namespace mlir;

namespace phobos::tohost {
namespace {

/// Is it inline PTX that waits for groups, with values tied from inputs to outputs?
std::optional<unsigned> waitedFor(Operation *op) {
  if (auto wait = dyn_cast<NVVM::WgmmaWaitGroupSyncOp>(op)) {
    return unsigned(wait.getGroup());
  }
  auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
  StringRef text = assembly ? assembly.getAsmString().trim() : StringRef();
  unsigned groups;
  bool waits = text.consume_front("wgmma.wait_group.sync.aligned ") && !text.consumeInteger(10, groups);
  return waits ? std::optional(groups) : std::nullopt;
}

/// Values that are the same registers under other names.
bool renames(Operation *op) {
  return isa<LLVM::ExtractValueOp, LLVM::InsertValueOp, LLVM::UndefOp, LLVM::PoisonOp, LLVM::ConstantOp, LLVM::ZeroOp>(
      op);
}

class Registers {
public:
  explicit Registers(KernelToHost &kernel) : k(kernel) {}

  void run() {
    collectTaken();
    SmallVector<Block *> order;
    llvm::append_range(order, llvm::ReversePostOrderTraversal<Region *>(&k.function.getBody()));
    for (bool changed = true; changed;) {
      changed = false;
      for (Block *block : order) {
        State state = entry.lookup(block);
        for (Operation &op : *block) {
          step(&op, state, /*report=*/false);
        }
        changed |= leave(*block, state);
      }
    }
    for (Block *block : order) {
      State state = entry.lookup(block);
      for (Operation &op : llvm::make_early_inc_range(*block)) {
        step(&op, state, /*report=*/true);
      }
    }
  }

private:
  static constexpr unsigned kMostGroups = 8;
  struct State {
    /// Of results that were not waited for: 0 until their group is committed, then 1 and the groups committed since;
    /// and the wgmma.
    llvm::DenseMap<Value, std::pair<unsigned, Operation *>> unfinished;
    llvm::DenseSet<Value> unfenced; // values for wgmmas made since the last fence

    bool join(const State &other) {
      bool changed = false;
      for (auto [value, age] : other.unfinished) {
        auto [known, isNew] = unfinished.try_emplace(value, age);
        if (isNew || age.first < known->second.first) {
          known->second = age;
          changed = true;
        }
      }
      for (Value value : other.unfenced) {
        changed |= unfenced.insert(value).second;
      }
      return changed;
    }
  };

  /// The values whose registers these are.
  ArrayRef<Value> roots(Value value) {
    if (auto known = roots_.find(value); known != roots_.end()) {
      return known->second;
    }
    SmallVector<Value, 1> found;
    auto add = [&](Value from) {
      for (Value root : llvm::to_vector(roots(from))) {
        if (!llvm::is_contained(found, root)) {
          found.push_back(root);
        }
      }
    };
    Operation *op = value.getDefiningOp();
    if (auto extract = dyn_cast_or_null<LLVM::ExtractValueOp>(op)) {
      Operation *from = extract.getContainer().getDefiningOp();
      auto assembly = dyn_cast_or_null<LLVM::InlineAsmOp>(from);
      if (assembly && waitedFor(from)) {
        add(assembly.getOperands()[extract.getPosition()[0]]); // the first inputs are tied to the outputs
      } else {
        add(extract.getContainer());
      }
    } else if (op && waitedFor(op)) {
      add(op->getOperand(0)); // one value alone
    } else if (auto insert = dyn_cast_or_null<LLVM::InsertValueOp>(op)) {
      add(insert.getContainer());
      add(insert.getValue());
    } else if (!op || !renames(op)) {
      found.push_back(value);
    }
    return roots_.try_emplace(value, std::move(found)).first->second;
  }

  /// The results that this value waits for, if any: the youngest.
  const std::pair<unsigned, Operation *> *unfinished(const State &state, Value value) {
    const std::pair<unsigned, Operation *> *youngest = nullptr;
    for (Value root : roots(value)) {
      auto found = state.unfinished.find(root);
      if (found != state.unfinished.end() && (!youngest || found->second.first < youngest->first)) {
        youngest = &found->second;
      }
    }
    return youngest;
  }

  void fault(Operation *op, host::WgmmaFault what, Operation *other) {
    k.b.setInsertionPoint(op);
    k.loc = op->getLoc();
    k.call(HostCall::wgmmaFault, {k.i32c(int64_t(what)), other ? k.site(other) : k.i32c(0), k.site(op)});
  }

  void use(Operation *op, Value value, const State &state, bool report) {
    if (const auto *found = report ? unfinished(state, value) : nullptr) {
      fault(op, host::WgmmaFault::unfinished, found->second);
    }
  }

  /// The registers that a wgmma takes: words of A, and its sums where it adds to them.
  static SmallVector<Value> registersOf(const Wgmma &known) {
    SmallVector<Value> registers;
    if (known.entry.flags & host::kWgmmaRegistersA) {
      llvm::append_range(registers, known.a);
    }
    if (!(known.entry.flags & host::kWgmmaZeroD)) {
      known.accumulator ? registers.push_back(known.accumulator) : llvm::append_range(registers, known.elements);
    }
    return registers;
  }

  /// Values that may be in such registers.
  void collectTaken() {
    SmallVector<Value> work;
    k.function.walk([&](Operation *op) {
      if (std::optional<Wgmma> known = describeWgmma(op)) {
        llvm::append_range(work, registersOf(*known));
      }
    });
    while (!work.empty()) {
      for (Value root : llvm::to_vector(roots(work.pop_back_val()))) {
        auto argument = dyn_cast<BlockArgument>(root);
        if (!taken.insert(root).second || !argument) {
          continue;
        }
        Block *block = argument.getOwner();
        for (auto from = block->pred_begin(); from != block->pred_end(); ++from) {
          if (auto branch = dyn_cast<BranchOpInterface>((*from)->getTerminator())) {
            Value passed = branch.getSuccessorOperands(from.getSuccessorIndex())[argument.getArgNumber()];
            passed ? work.push_back(passed) : void();
          }
        }
      }
    }
  }

  void multiply(Operation *op, State &state, bool report) {
    std::optional<Wgmma> known = describeWgmma(op);
    if (!known) {
      return; // refused later
    }
    for (Value value : known->a) {
      use(op, value, state, report);
    }
    bool unfenced = llvm::any_of(registersOf(*known), [&](Value value) {
      return llvm::any_of(roots(value), [&](Value root) { return state.unfenced.contains(root); });
    });
    if (report && unfenced) {
      fault(op, host::WgmmaFault::unfenced, nullptr);
    }
    state.unfinished[op->getResult(0)] = {0, op};
  }

  void step(Operation *op, State &state, bool report) {
    if (isWgmma(op)) {
      return multiply(op, state, report);
    }
    if (auto groups = waitedFor(op)) {
      for (auto entry = state.unfinished.begin(); entry != state.unfinished.end();) {
        auto at = entry++;
        if (at->second.first > *groups) {
          state.unfinished.erase(at);
        }
      }
      return;
    }
    if (isa<NVVM::WgmmaGroupSyncAlignedOp>(op)) {
      for (auto &entry : state.unfinished) {
        entry.second.first = std::min(entry.second.first + 1, kMostGroups);
      }
      return;
    }
    if (isa<NVVM::WgmmaFenceAlignedOp>(op)) {
      state.unfenced.clear();
      return;
    }
    if (renames(op)) {
      return;
    }
    auto branch = dyn_cast<BranchOpInterface>(op);
    for (OpOperand &operand : op->getOpOperands()) {
      bool passed = branch && branch.getSuccessorBlockArgument(operand.getOperandNumber());
      if (!passed && !state.unfinished.empty()) {
        use(op, operand.get(), state, report);
      }
    }
    for (Value result : op->getResults()) {
      if (taken.contains(result)) {
        state.unfenced.insert(result);
      }
    }
  }

  /// What holds at the end of a block holds at the beginning of the next.
  bool leave(Block &block, const State &state) {
    bool changed = false;
    auto branch = dyn_cast<BranchOpInterface>(block.getTerminator());
    for (unsigned i = 0; branch && i < branch->getNumSuccessors(); ++i) {
      Block *next = branch->getSuccessor(i);
      State passed = state;
      SuccessorOperands operands = branch.getSuccessorOperands(i);
      for (BlockArgument argument : next->getArguments()) {
        Value value = operands[argument.getArgNumber()];
        passed.unfinished.erase(argument);
        passed.unfenced.erase(argument);
        if (const auto *age = value ? unfinished(state, value) : nullptr) {
          passed.unfinished[argument] = *age;
        }
        if (value && llvm::any_of(roots(value), [&](Value root) { return state.unfenced.contains(root); })) {
          passed.unfenced.insert(argument);
        }
      }
      changed |= entry[next].join(passed);
    }
    return changed;
  }

  KernelToHost &k;
  llvm::DenseMap<Block *, State> entry;
  llvm::DenseMap<Value, SmallVector<Value, 1>> roots_;
  llvm::DenseSet<Value> taken;
};

} // namespace

void checkWgmmaRegisters(KernelToHost &kernel) {
  bool any =
      kernel.function.walk([](Operation *op) { return isWgmma(op) ? WalkResult::interrupt() : WalkResult::advance(); })
          .wasInterrupted();
  if (any) {
    Registers(kernel).run();
  }
}

} // namespace phobos::tohost
