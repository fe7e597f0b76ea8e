// Names of one function while its body is checked, and which of them are set at the current point.
#pragma once

#include "ModuleNames.h"
#include "Operand.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace phobos::sema {

/// A local name. One that is assigned once, to something known now, is `bound` and has no variable.
struct Symbol {
  enum class Kind : uint8_t { Var, Let, Loop };
  llvm::StringRef name;
  Kind kind = Kind::Var;
  bool declared = false;   ///< by an annotation
  bool isReported = false; ///< that it is used before it is set, or that a value for it is refused
  SourceRange range;       ///< where it is first bound
  Variable *variable = nullptr;
  std::vector<std::unique_ptr<Operand>> bindings; ///< what it has been bound to, the last one last
};

/// What holds at a point of the program.
struct Flow {
  /// Names that are set on every path that leads here, with their binding (null: see the variable).
  llvm::SmallDenseMap<const Symbol *, const Operand *, 16> set;
  /// Variables that have a value in the tree that is being built, whichever path led here.
  llvm::SmallPtrSet<Variable *, 16> assigned;
  bool reachable = true;

  /// The state after a choice of two paths.
  static Flow merge(const Flow &a, const Flow &b);
};

/// A flag that says "a jump was taken": where the code after an if or a loop may have to be skipped.
struct Guard {
  Variable *flag = nullptr;
  unsigned loopDepth = 0;
};

struct LoopContext {
  LoopContext *outer = nullptr;
  bool unrolled = false;
  unsigned branchDepth = 0;   ///< run-time ifs that were open where the loop starts
  Variable *broken = nullptr; ///< the flag of a break, if the loop has one
  bool stopped = false;       ///< unrolled: a break was met
  bool continued = false;     ///< unrolled: this turn met a continue
  bool jumped = false;        ///< unrolled: this turn may end early, by a jump under a run-time condition
  bool left = false;          ///< unrolled: an earlier turn, or this one, may have left the loop so
  std::vector<Flow> exits;    ///< unrolled: what is set where it was left so
};

/// One function being checked.
struct Frame {
  Frame(const syntax::FunctionDef &function, Frame *caller, SourceRange callSite)
      : function(function), caller(caller), callSite(callSite), names(function.enclosing), assigned(function.body) {}

  const syntax::FunctionDef &function;
  Frame *caller;
  SourceRange callSite;
  LangNames names;
  AssignedNames assigned;
  llvm::StringMap<Operand> fixed; ///< parameters, dims, tuned constants
  llvm::StringMap<std::unique_ptr<Symbol>> locals;
  Flow flow;

  llvm::SmallVector<Guard, 4> guards;
  LoopContext *loop = nullptr;
  unsigned loopDepth = 0;
  unsigned branchDepth = 0; ///< run-time ifs that are open

  llvm::SmallVector<Variable *, 4> results;
  bool returned = false; ///< a return statement was met
  bool returnsTuple = false;
  SourceRange firstReturn;

  Symbol *local(llvm::StringRef name);
};

bool containsJump(syntax::Block body);
/// A `return`, or a `break` of this loop itself, in a loop's body.
bool leavesLoop(syntax::Block body);
bool containsReturn(syntax::Block body);
/// Does every path through the block end in a jump, by its form alone?
bool alwaysJumps(syntax::Block body);
/// Variables that a block of the typed tree assigns and hands on, by first assignment.
llvm::SmallVector<Variable *, 8> assignedIn(llvm::ArrayRef<Stmt *> block);
/// Makes every branch and loop of the block that assigns the variable hand it on: it has got a value before the block.
void handOn(llvm::ArrayRef<Stmt *> block, Variable *variable, llvm::BumpPtrAllocator &arena);

} // namespace phobos::sema
