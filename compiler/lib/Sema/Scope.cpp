// Flow states, and questions about blocks.
#include "Scope.h"
#include "llvm/ADT/SetVector.h"

namespace phobos::sema {

std::vector<Operand> Operand::elements() const {
  if (kind == Kind::Tuple) {
    return items;
  }
  std::vector<Operand> result;
  for (const ConstantValue &item : constant.items) {
    result.push_back(Operand::of(range, item));
  }
  return result;
}

Flow Flow::merge(const Flow &a, const Flow &b) {
  Flow merged;
  for (Variable *variable : a.assigned) {
    if (b.assigned.contains(variable)) {
      merged.assigned.insert(variable);
    }
  }
  merged.reachable = a.reachable || b.reachable;
  if (!a.reachable || !b.reachable) {
    merged.set = a.reachable ? a.set : b.set;
    return merged;
  }
  for (const auto &[symbol, binding] : a.set) {
    auto other = b.set.find(symbol);
    if (other != b.set.end() && other->second == binding) {
      merged.set.try_emplace(symbol, binding);
    }
  }
  return merged;
}

Symbol *Frame::local(llvm::StringRef name) {
  std::unique_ptr<Symbol> &symbol = locals[name];
  if (!symbol) {
    symbol = std::make_unique<Symbol>();
    symbol->name = name;
  }
  return symbol.get();
}

namespace {

/// Does a statement for which `stops` holds occur? Bodies of inner loops are entered if `enterLoops`.
bool occurs(syntax::Block body, bool enterLoops, llvm::function_ref<bool(const syntax::Stmt &)> stops) {
  return llvm::any_of(body, [&](const syntax::Stmt *stmt) {
    if (stops(*stmt)) {
      return true;
    }
    if (const auto *branch = llvm::dyn_cast<syntax::IfStmt>(stmt)) {
      return occurs(branch->body, enterLoops, stops) || occurs(branch->orElse, enterLoops, stops);
    }
    if (const auto *loop = llvm::dyn_cast<syntax::ForStmt>(stmt)) {
      return enterLoops && occurs(loop->body, true, stops);
    }
    const auto *loop = llvm::dyn_cast<syntax::WhileStmt>(stmt);
    return loop && enterLoops && occurs(loop->body, true, stops);
  });
}

} // namespace

bool containsReturn(syntax::Block body) {
  return occurs(body, true, [](const syntax::Stmt &stmt) { return llvm::isa<syntax::ReturnStmt>(stmt); });
}

bool containsJump(syntax::Block body) {
  return containsReturn(body) || occurs(body, false, [](const syntax::Stmt &stmt) {
           return llvm::isa<syntax::BreakStmt, syntax::ContinueStmt>(stmt);
         });
}

bool leavesLoop(syntax::Block body) {
  return containsReturn(body) ||
         occurs(body, false, [](const syntax::Stmt &stmt) { return llvm::isa<syntax::BreakStmt>(stmt); });
}

bool alwaysJumps(syntax::Block body) {
  return llvm::any_of(body, [](const syntax::Stmt *stmt) {
    if (const auto *branch = llvm::dyn_cast<syntax::IfStmt>(stmt)) {
      return alwaysJumps(branch->body) && alwaysJumps(branch->orElse);
    }
    return llvm::isa<syntax::ReturnStmt, syntax::BreakStmt, syntax::ContinueStmt>(stmt);
  });
}

llvm::SmallVector<Variable *, 8> assignedIn(llvm::ArrayRef<Stmt *> block) {
  llvm::SmallSetVector<Variable *, 8> found;
  for (const Stmt *stmt : block) {
    switch (stmt->kind) {
    case Stmt::Kind::Assign:
      found.insert(llvm::cast<Assign>(stmt)->variable);
      break;
    case Stmt::Kind::Unpack:
      found.insert_range(llvm::cast<Unpack>(stmt)->variables);
      break;
    case Stmt::Kind::If:
      found.insert_range(llvm::cast<If>(stmt)->yields);
      break;
    case Stmt::Kind::For:
      found.insert_range(llvm::cast<For>(stmt)->carried);
      break;
    case Stmt::Kind::While:
      found.insert_range(llvm::cast<While>(stmt)->carried);
      break;
    default:
      break;
    }
  }
  return found.takeVector();
}

void handOn(llvm::ArrayRef<Stmt *> block, Variable *variable, llvm::BumpPtrAllocator &arena) {
  auto with = [&](llvm::ArrayRef<Variable *> list, llvm::ArrayRef<Stmt *> first, llvm::ArrayRef<Stmt *> second) {
    handOn(first, variable, arena);
    handOn(second, variable, arena);
    bool changed = llvm::is_contained(assignedIn(first), variable) || llvm::is_contained(assignedIn(second), variable);
    if (!changed || llvm::is_contained(list, variable)) {
      return list;
    }
    auto *longer = arena.Allocate<Variable *>(list.size() + 1);
    *std::uninitialized_copy(list.begin(), list.end(), longer) = variable;
    return llvm::ArrayRef<Variable *>(longer, list.size() + 1);
  };
  for (Stmt *stmt : block) {
    if (auto *branch = llvm::dyn_cast<If>(stmt)) {
      branch->yields = with(branch->yields, branch->thenBlock, branch->elseBlock);
    } else if (auto *loop = llvm::dyn_cast<For>(stmt)) {
      loop->carried = with(loop->carried, loop->body, {});
    } else if (auto *loop = llvm::dyn_cast<While>(stmt)) {
      loop->carried = with(loop->carried, loop->body, {});
    }
  }
}

} // namespace phobos::sema
