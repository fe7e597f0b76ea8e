// Checks a kernel's body and builds its typed tree. Split by what is checked: statements and control flow
// (CheckStmt, CheckLoop), assignment (CheckAssign), expressions (CheckExpr, CheckOperator, CheckSlice), calls
// (CheckCall, CheckAtomic, CheckElementwise, CheckRandom, CheckReduce, CheckShape, CheckDebug, CheckFunction).
#pragma once

#include "Arguments.h"
#include "Promote.h"
#include "Scope.h"
#include "Signature.h"
#include "TreeBuilder.h"

namespace phobos::sema {

/// More elements than this in a tile cannot be meant.
inline constexpr int64_t kMaxTileElements = int64_t(1) << 20;
inline constexpr int64_t kMaxUnrolledTurns = 1024;
/// Of a loop and the unrolled loops in it, together.
inline constexpr int64_t kMaxNestedTurns = 4 * kMaxUnrolledTurns;
/// Beyond this many elements of a tile in one thread nothing fits registers by far, and compiling takes minutes.
inline constexpr int64_t kMaxThreadElements = 1024;
inline constexpr size_t kMaxTreeFunctions = 4096;

class Checker {
public:
  Checker(const syntax::Module &module, const syntax::FunctionDef &kernel, const ConstantTable &constants,
          TypedKernel &out, DiagnosticEngine &diagnostics)
      : module(module), kernel(kernel), constants(constants), out(out), build(out), types(out.types),
        diagnostics(diagnostics) {}

  /// False after errors.
  bool run();

private:
  using Shape = llvm::SmallVector<int64_t, 5>;
  using Statements = std::vector<Stmt *>;

  // --- Reports
  /// With the chain of calls that led here.
  Diagnostic &error(SourceRange range, const llvm::Twine &message);
  /// Returns an Error operand.
  Operand fail(SourceRange range, const llvm::Twine &message, const llvm::Twine &hint = "");
  /// `name` is assigned outside, to no constant that the text tells.
  Operand failUnreadable(const syntax::NameExpr &name);
  Operand failImported(const syntax::NameExpr &name, llvm::StringRef wanted);
  Operand notYet(SourceRange range, const llvm::Twine &what, const llvm::Twine &hint = "");
  /// "an f16[64, 32] tile", "the tensor `A`".
  std::string describe(const Operand &operand) const;
  /// `ph.ctx.block` or `ph.ctx.grid` without an axis.
  static bool isAxes(const Operand &operand);

  // --- Statements
  void block(syntax::Block body);
  void statement(const syntax::Stmt &stmt);
  void expressionStatement(const syntax::ExprStmt &stmt);
  /// True if `rest`, the statements after the if, went into one of its arms.
  bool ifStatement(const syntax::IfStmt &stmt, syntax::Block rest);
  void followed(syntax::Block first, syntax::Block rest);
  /// The code after an if or loop that may have jumped, under its flag.
  void guarded(Variable *flag, SourceRange range, syntax::Block rest);
  Variable *pushGuard(SourceRange range);
  void finishIf(SourceRange range, Expr *condition, Statements &thenBlock, const Flow &thenFlow, Statements &elseBlock,
                const Flow &elseFlow, bool mayFollow);
  void returnStatement(const syntax::ReturnStmt &stmt);
  void jump(SourceRange range, unsigned loopDepth);
  void breakOrContinue(SourceRange range, bool isBreak);

  // --- Loops
  void forStatement(const syntax::ForStmt &stmt);
  void rangeLoop(const syntax::ForStmt &stmt, const syntax::CallExpr &call);
  bool unrolledTurn(LoopContext &context, SourceRange range, llvm::function_ref<void()> turn);
  void unrolledLoop(const syntax::ForStmt &stmt, const syntax::CallExpr &call);
  void whileStatement(const syntax::WhileStmt &stmt);
  struct RangeBounds {
    Operand lower, upper, step;
  };
  std::optional<RangeBounds> rangeBounds(const syntax::CallExpr &call, llvm::StringRef name);
  /// Checks the body in a scope of its own and returns it.
  Statements loopBody(syntax::Block body, LoopContext &context, llvm::function_ref<void()> enter);
  /// Variables that pass from turn to turn.
  llvm::ArrayRef<Variable *> carriedBy(SourceRange range, const Statements &body);
  void bindLoopVariable(const syntax::Expr &target, Variable *variable, const Operand *constant);

  // --- Assignment
  void assignStatement(const syntax::AssignStmt &stmt);
  void declaration(const syntax::AnnAssignStmt &stmt);
  void augmentedAssignment(const syntax::AugAssignStmt &stmt);
  void assignTo(const syntax::Expr &target, Operand value, SourceRange range);
  void assignName(const syntax::NameExpr &target, const Operand &value, SourceRange range);
  void assignVariable(Symbol &symbol, Expr *value, SourceRange range);
  void bind(Symbol &symbol, Operand value);
  /// Its value was refused: it counts as set, and nothing more is said about it.
  void giveUp(Symbol &symbol);
  void store(const Slice *slice, const Operand &value, SourceRange range);
  /// A value as it is stored to a slice or to a part of a tile, of type `to`: converted, broadcast; null after an
  /// error.
  Expr *asStored(const Operand &value, const Type *to, SourceRange slice);
  /// Is the name one that may be assigned here? Reports if not.
  bool isAssignable(const syntax::NameExpr &target);
  /// Values of a tuple put into variables, so that they are computed once and now.
  Operand settle(const Operand &value, llvm::StringRef name);
  /// The value as the variable's type; null and a report if it would narrow.
  Expr *coerce(const Operand &value, const Type *type, llvm::StringRef name, SourceRange declared, SourceRange range);
  void emit(Stmt *stmt) { current->push_back(stmt); }
  void emitAssign(SourceRange range, Variable *variable, Expr *value);
  Operand results(const Operand &call, llvm::StringRef name);

  // --- Expressions
  Operand check(const syntax::Expr &expr);
  Operand checkKind(const syntax::Expr &expr);
  Operand readHere(const Operand &bound, SourceRange range);
  Operand name(const syntax::NameExpr &expr);
  Operand attribute(const syntax::AttributeExpr &expr);
  Operand lang(SourceRange range, const std::string &path);
  Operand conditional(const syntax::ConditionalExpr &expr);
  Operand tuple(SourceRange range, llvm::ArrayRef<syntax::Expr *> elements);
  Operand subscript(const syntax::SubscriptExpr &expr);
  Operand shapeEntry(const syntax::SubscriptExpr &expr, const Operand &base);
  /// Of ph.load: as Load has it; nothing after an error.
  std::optional<std::string> cacheHint(const BoundArguments &args);
  Operand prefetch(const syntax::CallExpr &expr, const Builtin &builtin, const BoundArguments &args);
  Operand gridBarrier(const syntax::CallExpr &expr, const Builtin &builtin);
  /// What the name means around the function: of its own file by the captures, of another by that file's text.
  std::optional<ConstantValue> constantOf(const syntax::FunctionDef &function, llvm::StringRef name) const;
  /// The device function of another file that this means in the function's file; null if none.
  const syntax::FunctionDef *importedFunction(llvm::StringRef name) const;
  Operand ptx(const syntax::CallExpr &expr, const BoundArguments &args);
  /// Does the text write `$0`, and name no operand that there is not?
  bool checkPlaceholders(const syntax::Expr &expr, llvm::StringRef text, size_t operands);

  // --- Parts of tiles
  /// What a subscript takes of a tile: where it begins and how far it goes along each dimension, and what shape that
  /// has.
  struct TilePart {
    llvm::SmallVector<Expr *, 5> starts;
    Shape extents, shape;
  };
  std::optional<TilePart> readPart(const syntax::SubscriptExpr &expr, const Type *tile);
  static bool isWhole(const TilePart &part, const Type *tile);
  bool partAxis(const syntax::Expr &index, int64_t extent, TilePart &part);
  Operand partOfTile(const syntax::SubscriptExpr &expr, Expr *tile);
  /// `tile[…] = value`, where `tile` is a name for it.
  void assignPart(const syntax::NameExpr &name, Expr *tile, const syntax::SubscriptExpr &target, const Operand &value,
                  SourceRange range);
  Operand extentOf(SourceRange range, unsigned tensor, size_t axis);
  /// An entry of `A.shape` or `A.stride`, and all of them.
  Operand tensorEntry(SourceRange range, const Operand &base, size_t axis);
  Operand tensorTuple(const Operand &base);

  /// As a value: loads a view, makes a node of a constant. Null after an error or for what is no value.
  Expr *asValue(const Operand &operand);
  Expr *asElement(const Operand &operand, Element element);
  /// A scalar bool for a branch; null after an error. `what` is the construct: "`if`".
  Expr *asCondition(const Operand &operand, llvm::StringRef what);
  /// Numbers and run-time values pass; a view is loaded; all else is reported. `where`: "an operand of `+`".
  std::optional<Operand> asOperand(const Operand &operand, const llvm::Twine &where);
  Party partyOf(const Operand &operand) const;
  Expr *scalarIndex(const Operand &operand, const llvm::Twine &what);
  std::optional<int64_t> constantInt(const syntax::Expr &expr, const llvm::Twine &what);
  std::optional<DType> constantDType(const syntax::Expr &expr, const llvm::Twine &what);
  std::optional<Shape> constantShape(llvm::ArrayRef<const syntax::Expr *> exprs, SourceRange range);
  bool checkSize(SourceRange range, llvm::ArrayRef<int64_t> shape);

  // --- Operators
  Operand unary(const syntax::UnaryExpr &expr);
  Operand binary(SourceRange range, SourceRange opRange, syntax::BinaryOp op, const Operand &lhs, const Operand &rhs);
  Operand boolOp(const syntax::BoolOpExpr &expr);
  Operand compare(const syntax::CompareExpr &expr);
  Operand comparePair(SourceRange range, syntax::CompareOp op, const Operand &lhs, const Operand &rhs);
  /// Operands of one element and shape; empty after an error.
  llvm::SmallVector<Expr *, 3> joined(SourceRange range, llvm::StringRef what, llvm::ArrayRef<Operand> operands,
                                      bool comparing = false, std::optional<Element> atLeast = std::nullopt);
  std::optional<Element> joinAll(SourceRange range, llvm::StringRef what, llvm::ArrayRef<Operand> operands,
                                 bool comparing);
  llvm::SmallVector<Expr *, 3> broadcastAll(SourceRange range, llvm::StringRef what, llvm::ArrayRef<Expr *> values);
  /// Refuses f8, which only is stored and multiplied.
  bool computes(SourceRange range, llvm::StringRef what, Element element);

  // --- Slices
  Operand slice(const syntax::SubscriptExpr &expr, unsigned tensor);
  bool sliceAxis(const syntax::Expr &index, unsigned tensor, size_t dim, SliceAxis &axis);
  /// Of a span that begins at `start`; `whole` gives the stop where none is written.
  std::optional<int64_t> spanLength(const syntax::SliceExpr &expr, Expr *start, llvm::function_ref<Operand()> whole);
  bool spanAxis(const syntax::SliceExpr &expr, unsigned tensor, size_t dim, SliceAxis &axis);
  bool pointAxis(const syntax::Expr &index, unsigned tensor, size_t dim, SliceAxis &axis);
  bool placesAxis(const Operand &value, SliceAxis &axis);
  /// The shape of all axes with places together, which are made of that shape; false after an error.
  bool joinPlaces(llvm::MutableArrayRef<SliceAxis> axes, Shape &joined);
  bool wholeAxis(SourceRange range, unsigned tensor, size_t dim, SliceAxis &axis);
  void recordMultiple(unsigned tensor, size_t dim, const SliceAxis &axis);
  void recordStore(const Slice &slice);

  // --- Calls
  Operand call(const syntax::CallExpr &expr);
  Operand builtinCall(const syntax::CallExpr &expr, const Builtin &builtin);
  Operand pythonCall(const syntax::CallExpr &expr, llvm::StringRef name);
  Operand conversion(const syntax::CallExpr &expr, DType dtype);
  Operand bitcast(const syntax::CallExpr &expr, const BoundArguments &args);
  Operand load(const syntax::CallExpr &expr, const BoundArguments &args);
  Operand atomic(const syntax::CallExpr &expr, const Builtin &builtin, const BoundArguments &args);
  /// A value to write or compare, as the slice's type; null after an error.
  Expr *atomicValue(const syntax::Expr &expr, const Slice &slice);
  /// Which of `spellings` the string is; the fallback if there is no argument.
  std::optional<size_t> keyword(const syntax::Expr *expr, llvm::StringRef parameter,
                                llvm::ArrayRef<llvm::StringRef> spellings, size_t fallback);
  Operand dot(const syntax::CallExpr &expr, const BoundArguments &args, bool transposeB);

  Operand elementwise(const syntax::CallExpr &expr, const Builtin &builtin, const BoundArguments &args);
  Operand libdevice(const syntax::CallExpr &expr, llvm::StringRef name); // CheckLibdevice.cpp
  Operand floatMath(SourceRange range, MathOp op, llvm::StringRef name, llvm::ArrayRef<Operand> operands);
  Operand absolute(SourceRange range, const Operand &operand);
  Operand extreme(SourceRange range, bool greatest, const Operand &lhs, const Operand &rhs);
  Operand where(SourceRange range, const Operand &condition, const Operand &x, const Operand &y);
  Operand ceilDivide(SourceRange range, const Operand &a, const Operand &b);

  Operand random(const syntax::CallExpr &expr, const Builtin &builtin, const BoundArguments &args);
  /// The seed or an offset of random numbers as an i64; null and a report if it is no integer.
  Expr *randomArgument(const syntax::Expr &expr, llvm::StringRef name, llvm::StringRef role);

  Operand reduction(const syntax::CallExpr &expr, const Builtin &builtin, const BoundArguments &args);
  Operand running(const syntax::CallExpr &expr, const Builtin &builtin, const BoundArguments &args);
  /// The type of a tile, or of a slice that is one; null for anything else.
  static const Type *tileOf(const Operand &operand);

  bool mayCombine(const syntax::CallExpr &expr, const Builtin &builtin, const BoundArguments &args); // CheckShape.cpp

  // CheckCombination.cpp: ph.reduce and ph.scan.
  Operand combination(const syntax::CallExpr &expr, const Builtin &builtin, const BoundArguments &args);
  Operand reduce(SourceRange range, ReduceOp op, llvm::StringRef name, const Operand &operand,
                 std::optional<Shape> axes, bool keepDims);
  /// Sorted axes; an empty list means all.
  std::optional<Shape> reductionAxes(const syntax::Expr &axis, unsigned rank);
  std::optional<int64_t> axisOf(int64_t axis, unsigned rank, SourceRange range);

  Operand shapeCall(const syntax::CallExpr &expr, const Builtin &builtin, const BoundArguments &args);
  Operand reshape(const syntax::CallExpr &expr, const BoundArguments &args);
  Operand transpose(const syntax::CallExpr &expr, const BoundArguments &args);
  Operand triangle(const syntax::CallExpr &expr, const BoundArguments &args, bool lower);
  /// A run-time tile; null and a report otherwise.
  Expr *tileArgument(const syntax::Expr &expr, llvm::StringRef name);

  // --- ph.print and ph.assert_, which are emitted here and have no value
  Operand print(const syntax::CallExpr &expr, const Builtin &builtin, const BoundArguments &args);
  Operand assertion(const syntax::CallExpr &expr, const Builtin &builtin, const BoundArguments &args);
  Operand effect(SourceRange range, const Builtin &builtin);
  std::optional<llvm::StringRef> constantText(const syntax::Expr &expr, const llvm::Twine &what,
                                              const llvm::Twine &hint);
  /// `ph.ctx.block`, x, y and z.
  llvm::ArrayRef<Expr *> blockNumbers(SourceRange range);

  // --- Device functions
  Operand functionCall(const syntax::CallExpr &expr, const syntax::FunctionDef &function);
  std::optional<std::vector<Operand>> bindParameters(const syntax::CallExpr &expr, const syntax::FunctionDef &function);
  bool checkRecursion(const syntax::CallExpr &expr, const syntax::FunctionDef &function);
  /// Checks the argument against the parameter's annotation; may convert it.
  bool annotatedArgument(const syntax::Param &param, Operand &argument, Frame &callee);
  Function *instantiate(const syntax::CallExpr &expr, const syntax::FunctionDef &function,
                        std::vector<Operand> &arguments, llvm::SmallVectorImpl<Expr *> &values);

  // --- The kernel
  void bindKernelNames();
  void swizzle();
  void chooseThreads();
  /// Does each thread get elements of the largest tile that it can hold at all?
  bool checkThreads();
  /// Runs with another list of statements to append to.
  Statements collect(llvm::function_ref<void()> body);

  const syntax::Module &module;
  const syntax::FunctionDef &kernel;
  const ConstantTable &constants;
  TypedKernel &out;
  TreeBuilder build;
  TypeContext &types;
  DiagnosticEngine &diagnostics;
  Frame *frame = nullptr;
  Statements *current = nullptr;
  bool inLoopCondition = false;
  int64_t largestTile = 0;
  SourceRange largestTileRange;
  bool unrolling = false;
  int64_t nestedTurns = 0; ///< since the outermost unrolled loop began
  bool hasDot = false;
  Variable *swizzled[2] = {nullptr, nullptr}; ///< block ids under @ph.swizzle

  struct Instance {
    Function *function;
    bool returnsTuple;
  };
  llvm::StringMap<Instance> instances;
};

} // namespace phobos::sema
