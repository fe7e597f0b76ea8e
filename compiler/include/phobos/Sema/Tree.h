// The typed tree: what sema makes of a kernel once its constants are known, and what IRGen reads. It is a tree of its
// own, not notes on the AST: a parsed file is shared by threads and by variants of a kernel, and a device function or
// the body of an unrolled loop has other types at each use.
//
// What a reader may rely on ("IRGen builds IR, decides nothing"):
// - Every Expr has a type. Operands agree: both sides of Binary and Compare, the arms of Select and Conditional, a
// stored
//   value and its slice, an assigned value and its variable have exactly the same type. Whatever had to be converted,
//   splat or broadcast stands there as Convert and Broadcast.
// - Constants are folded: an int literal, tuned constant, captured constant, static extent or arithmetic on them is one
//   Constant. Branches on compile-time conditions and unrolled loops are gone.
// - Control flow is structured: there is no break, continue or return. If, For and While list the variables whose value
//   passes through them; reading a variable needs nothing else.
// - Names are resolved to Variable pointers. A device function reads its own, and those that the kernel's body sets
// first
//   of all (the block ids of @ph.swizzle). A tensor is the index of a tensor parameter, even in a device function.
// - A slice used as a value is a Load; evaluation order is the source's, left to right.
// - A node may have two parents only where evaluating it twice is meant: the slice of `A[...] += t`, and the middle of
// a
//   chained comparison that is a loop's condition.
#pragma once

#include "phobos/Sema/Types.h"
#include "phobos/Support/SourceRange.h"
#include "llvm/Support/Casting.h"
#include <optional>

namespace phobos::sema {

struct Function;
struct Call;

/// A local: assigned by Assign, Unpack, For (its variable) or, for a parameter of a Function, by the call.
struct Variable {
  llvm::StringRef name; ///< as in the source; made-up ones are in <angle brackets>
  const Type *type = nullptr;
  SourceRange range; ///< where it is first bound
  unsigned id = 0;   ///< dense within the TypedKernel
};

// --- Expressions
struct Expr {
  enum class Kind : uint8_t {
    Constant,
    Read,
    Parameter,
    Extent,
    Stride,
    BlockId,
    GridSize,
    Load,
    Atomic,
    Unary,
    Binary,
    Compare,
    Logical,
    Conditional,
    Select,
    Convert,
    Bitcast,
    Broadcast,
    Reshape,
    Transpose,
    Part,
    Iota,
    Math,
    Libdevice,
    Ptx,
    Random,
    Reduce,
    Dot,
    Call,
  };
  const Kind kind;
  SourceRange range;
  const Type *type; ///< null only for a Call that yields nothing or several values

protected:
  Expr(Kind kind, SourceRange range, const Type *type) : kind(kind), range(range), type(type) {}
};

template <Expr::Kind K> struct ExprNode : Expr {
  static bool classof(const Expr *expr) { return expr->kind == K; }

protected:
  ExprNode(SourceRange range, const Type *type) : Expr(K, range, type) {}
};

/// A scalar known now. Splats are Broadcasts of it.
struct Constant : ExprNode<Expr::Kind::Constant> {
  Constant(SourceRange range, const Type *type, int64_t integer, double real)
      : ExprNode(range, type), integer(integer), real(real) {}
  int64_t integer; ///< index, integers (u64 as its bits) and bool
  double real;     ///< floats; not yet rounded to the dtype
};

struct Read : ExprNode<Expr::Kind::Read> {
  Read(SourceRange range, Variable *variable) : ExprNode(range, variable->type), variable(variable) {}
  Variable *variable;
};

/// A scalar parameter of the kernel.
struct Parameter : ExprNode<Expr::Kind::Parameter> {
  Parameter(SourceRange range, const Type *type, unsigned index) : ExprNode(range, type), index(index) {}
  unsigned index; ///< into KernelInfo::parameters
};

/// Extent of a symbolic dim, an index. (A static extent is a Constant.)
struct Extent : ExprNode<Expr::Kind::Extent> {
  Extent(SourceRange range, const Type *type, unsigned dim) : ExprNode(range, type), dim(dim) {}
  unsigned dim; ///< into KernelInfo::dims
};

/// `A.stride[axis]`, in elements, an index.
struct Stride : ExprNode<Expr::Kind::Stride> {
  Stride(SourceRange range, const Type *type, unsigned tensor, unsigned axis)
      : ExprNode(range, type), tensor(tensor), axis(axis) {}
  unsigned tensor; ///< into KernelInfo::parameters
  unsigned axis;
};

/// `ph.ctx.block.x` (axis 0), `.y`, `.z`: an index.
struct BlockId : ExprNode<Expr::Kind::BlockId> {
  BlockId(SourceRange range, const Type *type, unsigned axis) : ExprNode(range, type), axis(axis) {}
  unsigned axis;
};

/// `ph.ctx.grid.x`: an index.
struct GridSize : ExprNode<Expr::Kind::GridSize> {
  GridSize(SourceRange range, const Type *type, unsigned axis) : ExprNode(range, type), axis(axis) {}
  unsigned axis;
};

/// One axis of a slice. A span contributes a dimension of static `length`; a point (`length` 0) none.
struct SliceAxis {
  Expr *start = nullptr; ///< an index scalar; negative or past the end is out of range
  /// A tile of i32 or i64 that says where elements lie, instead of a span; its shape joins those of the slice's other
  /// such axes. `start` is 0 and `length` the number of elements if it is the first of them, else 1.
  Expr *places = nullptr;
  int64_t length = 0;
  /// `start` is known to be a multiple of this (1: nothing known; 0: it is 0). Promises of @ph.aligned count.
  int64_t startMultiple = 1;
  SourceRange range;
  bool isPoint() const { return length == 0; }
};

/// Elements of a tensor parameter. `type` has the tensor's dtype and the lengths of the spans, in order.
struct Slice {
  unsigned tensor = 0; ///< into KernelInfo::parameters
  llvm::ArrayRef<SliceAxis> axes;
  const Type *type = nullptr; ///< where axes have `places`, their joined shape stands where the first of them does
  SourceRange range;
  llvm::ArrayRef<int64_t> gathered = {}; ///< that shape
};

/// Out-of-range elements read as `fill`, or zero where that is null.
struct Load : ExprNode<Expr::Kind::Load> {
  Load(SourceRange range, const Slice *slice, Expr *fill, llvm::StringRef cache = "")
      : ExprNode(range, slice->type), slice(slice), fill(fill), cache(cache) {}
  const Slice *slice;
  Expr *fill;            ///< a scalar of the tensor's dtype
  llvm::StringRef cache; ///< how caches are to treat it, as PTX has it: ".cg", ".L1::evict_last"; empty: as usual
};

/// `ph.atomic_add` and its like: each element of the slice once, in one step. Yields what was there; out-of-range
/// elements are not touched and read as zero. Min and Max are signed where the element is.
enum class AtomicKind : uint8_t { Add, Min, Max, And, Or, Xor, Exchange, CompareExchange };
enum class AtomicScope : uint8_t { Block, Device, System };
enum class AtomicOrder : uint8_t { Relaxed, Acquire, Release, AcquireRelease };

struct Atomic : ExprNode<Expr::Kind::Atomic> {
  Atomic(SourceRange range, AtomicKind op, const Slice *slice, Expr *compare, Expr *value, AtomicScope scope,
         AtomicOrder order)
      : ExprNode(range, slice->type), op(op), scope(scope), order(order), slice(slice), compare(compare), value(value) {
  }
  AtomicKind op;
  AtomicScope scope;
  AtomicOrder order;
  const Slice *slice;
  Expr *compare; ///< of the slice's type; CompareExchange alone
  Expr *value;   ///< of the slice's type
};
llvm::StringRef spelling(AtomicKind op);
llvm::StringRef spelling(AtomicScope scope);
llvm::StringRef spelling(AtomicOrder order);

/// Negate: numbers; integers wrap. Invert: bits of integers, logical not of bool. Abs: numbers.
enum class UnaryOp : uint8_t { Negate, Invert, Abs };

struct Unary : ExprNode<Expr::Kind::Unary> {
  Unary(SourceRange range, UnaryOp op, Expr *operand) : ExprNode(range, operand->type), op(op), operand(operand) {}
  UnaryOp op;
  Expr *operand;
};

/// Div is on floats only. FloorDiv and Mod floor as Python's do, on integers and floats. Shr is arithmetic where the
/// element is signed. And, Or, Xor: integers and bool. Min and Max on floats return NaN if either is. Pow: floats.
enum class BinaryOp : uint8_t { Add, Sub, Mul, Div, FloorDiv, Mod, Pow, Min, Max, And, Or, Xor, Shl, Shr };

struct Binary : ExprNode<Expr::Kind::Binary> {
  Binary(SourceRange range, BinaryOp op, Expr *lhs, Expr *rhs)
      : ExprNode(range, lhs->type), op(op), lhs(lhs), rhs(rhs) {}
  BinaryOp op;
  Expr *lhs;
  Expr *rhs;
};

/// On floats all are ordered but Ne, which is true for NaN. Bools compare as 0 and 1.
enum class ComparePredicate : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };

struct Compare : ExprNode<Expr::Kind::Compare> {
  Compare(SourceRange range, const Type *type, ComparePredicate predicate, Expr *lhs, Expr *rhs)
      : ExprNode(range, type), predicate(predicate), lhs(lhs), rhs(rhs) {}
  ComparePredicate predicate;
  Expr *lhs;
  Expr *rhs;
};

/// `and`, `or` of scalar bools; the right side is evaluated only if it decides.
struct Logical : ExprNode<Expr::Kind::Logical> {
  Logical(SourceRange range, bool isAnd, Expr *lhs, Expr *rhs)
      : ExprNode(range, lhs->type), isAnd(isAnd), lhs(lhs), rhs(rhs) {}
  bool isAnd;
  Expr *lhs;
  Expr *rhs;
};

/// `a if c else b` on a scalar bool; only one arm is evaluated.
struct Conditional : ExprNode<Expr::Kind::Conditional> {
  Conditional(SourceRange range, Expr *condition, Expr *thenValue, Expr *elseValue)
      : ExprNode(range, thenValue->type), condition(condition), thenValue(thenValue), elseValue(elseValue) {}
  Expr *condition;
  Expr *thenValue;
  Expr *elseValue;
};

/// `ph.where`: both arms are evaluated; the condition is bool of the arms' shape.
struct Select : ExprNode<Expr::Kind::Select> {
  Select(SourceRange range, Expr *condition, Expr *thenValue, Expr *elseValue)
      : ExprNode(range, thenValue->type), condition(condition), thenValue(thenValue), elseValue(elseValue) {}
  Expr *condition;
  Expr *thenValue;
  Expr *elseValue;
};

/// Changes the element, never the shape. To a float: nearest even (f8 saturates). Float to integer: truncates and
/// saturates, NaN is 0. Integer to integer: wraps, extends by the source's sign; but to index it saturates, where an
/// index is narrower, so that a far start stays out of range. To bool: is not zero. From bool: 0 or 1.
struct Convert : ExprNode<Expr::Kind::Convert> {
  Convert(SourceRange range, const Type *type, Expr *operand) : ExprNode(range, type), operand(operand) {}
  Expr *operand;
};

/// The same bits as another dtype of the same width.
struct Bitcast : ExprNode<Expr::Kind::Bitcast> {
  Bitcast(SourceRange range, const Type *type, Expr *operand) : ExprNode(range, type), operand(operand) {}
  Expr *operand;
};

/// A scalar to every element, or a tile of the same rank whose extents of 1 are repeated. (Missing leading dimensions
/// have been added by a Reshape.)
struct Broadcast : ExprNode<Expr::Kind::Broadcast> {
  Broadcast(SourceRange range, const Type *type, Expr *operand) : ExprNode(range, type), operand(operand) {}
  Expr *operand;
};

/// Row-major order kept; the operand is a tile. `expandsOnly`: differs by extents of 1 alone.
struct Reshape : ExprNode<Expr::Kind::Reshape> {
  Reshape(SourceRange range, const Type *type, Expr *operand, bool expandsOnly)
      : ExprNode(range, type), operand(operand), expandsOnly(expandsOnly) {}
  Expr *operand;
  bool expandsOnly;
};

/// Dimension i of the result is dimension permutation[i] of the operand.
struct Transpose : ExprNode<Expr::Kind::Transpose> {
  Transpose(SourceRange range, const Type *type, Expr *operand, llvm::ArrayRef<int64_t> permutation)
      : ExprNode(range, type), operand(operand), permutation(permutation) {}
  Expr *operand;
  llvm::ArrayRef<int64_t> permutation;
};

/// The element at p is the operand's at p plus `starts`; where it has none it is `other`'s at p, or 0 if that is null.
/// So a part of a tile begins at `starts`, and a tile with a part replaced is `other`, with the part as operand and
/// starts that take its beginning off.
struct Part : ExprNode<Expr::Kind::Part> {
  Part(SourceRange range, const Type *type, Expr *operand, llvm::ArrayRef<Expr *> starts, Expr *other)
      : ExprNode(range, type), operand(operand), starts(starts), other(other) {}
  Expr *operand;
  llvm::ArrayRef<Expr *> starts; ///< index scalars, one for each dimension
  Expr *other;
};

/// 0, 1, 2 … of rank 1; elements are index.
struct Iota : ExprNode<Expr::Kind::Iota> {
  Iota(SourceRange range, const Type *type) : ExprNode(range, type) {}
};

/// Elementwise functions. Operands have the result's type, floats, except that PopCount and CountLeadingZeros are on
/// integers and IsNan and IsInf yield bool. Round is to nearest even.
enum class MathOp : uint8_t {
#define PHOBOS_MATH(name, spelling, arity) name,
#include "phobos/Sema/MathOps.def"
};
llvm::StringRef spelling(MathOp op);

struct Math : ExprNode<Expr::Kind::Math> {
  Math(SourceRange range, const Type *type, MathOp op, llvm::ArrayRef<Expr *> operands)
      : ExprNode(range, type), op(op), operands(operands) {}
  MathOp op;
  llvm::ArrayRef<Expr *> operands;
};

/// libdevice's function `name` of f32 or f64, and of an i32 where it takes one; all have one shape.
struct Libdevice : ExprNode<Expr::Kind::Libdevice> {
  Libdevice(SourceRange range, const Type *type, llvm::StringRef name, llvm::ArrayRef<Expr *> operands)
      : ExprNode(range, type), name(name), operands(operands) {}
  llvm::StringRef name;
  llvm::ArrayRef<Expr *> operands;
};

/// PTX text for each element: $0 stands for the result, $1 and on for the operands, all of one shape.
struct Ptx : ExprNode<Expr::Kind::Ptx> {
  Ptx(SourceRange range, const Type *type, llvm::StringRef text, llvm::ArrayRef<Expr *> operands)
      : ExprNode(range, type), text(text), operands(operands) {}
  llvm::StringRef text;
  llvm::ArrayRef<Expr *> operands;
};

/// Of Philox 4x32-10 with the key `seed`, a scalar, at each number of `offset`, which counts words, four to a counter.
/// Both are i64, taken as their bits. The result has the shape of `offset`: Bits are u32, Uniform in [0, 1) and Normal
/// are f32.
enum class RandomOp : uint8_t { Bits, Uniform, Normal };

struct Random : ExprNode<Expr::Kind::Random> {
  Random(SourceRange range, const Type *type, RandomOp op, Expr *seed, Expr *offset)
      : ExprNode(range, type), op(op), seed(seed), offset(offset) {}
  RandomOp op;
  Expr *seed;
  Expr *offset;
};

/// Over `axes` (sorted, at least one), which the result lacks. The operand already has the element it accumulates in;
/// Any and All are on bool. Min and Max on floats return NaN if there is one. ArgMin and ArgMax have one axis and yield
/// index: the first place of the extreme (of a NaN if there is one).
enum class ReduceOp : uint8_t { Sum, Prod, Min, Max, Any, All, ArgMin, ArgMax };

struct Reduce : ExprNode<Expr::Kind::Reduce> {
  Reduce(SourceRange range, const Type *type, ReduceOp op, Expr *operand, llvm::ArrayRef<int64_t> axes,
         bool running = false)
      : ExprNode(range, type), op(op), operand(operand), axes(axes), running(running) {}
  ReduceOp op;
  Expr *operand;
  llvm::ArrayRef<int64_t> axes;
  bool running; ///< along the one axis, which stays: a sum or a product
};

/// a [M, K] times b [K, N] (or, with transposeB, [N, K]) plus the accumulator, which has the result's type. Operands of
/// one dtype, but f8e4m3 and f8e5m2 may meet. f16, bf16, f8 and f32 give f32, f64 gives f64, i8 and u8 give i32.
struct Dot : ExprNode<Expr::Kind::Dot> {
  Dot(SourceRange range, const Type *type, Expr *a, Expr *b, Expr *accumulator, bool transposeB)
      : ExprNode(range, type), a(a), b(b), accumulator(accumulator), transposeB(transposeB) {}
  Expr *a;
  Expr *b;
  Expr *accumulator; ///< null: zero
  bool transposeB;
};

/// Of a Call: its arguments are tiles of one shape, whose elements along an axis the function combines. It takes two
/// numbers for each tile, first those of the one side, and gives one for each.
struct Fold {
  int64_t axis;
  bool running;
  llvm::ArrayRef<const Type *> results;
};

/// A device function, to be inlined here: bind the arguments to Function::params, run the body, read Function::results.
struct Call : ExprNode<Expr::Kind::Call> {
  Call(SourceRange range, const Type *type, Function *function, llvm::ArrayRef<Expr *> args, const Fold *fold = nullptr)
      : ExprNode(range, type), function(function), args(args), fold(fold) {}
  unsigned numResults() const;
  const Type *resultType(unsigned i) const;
  Function *function;
  llvm::ArrayRef<Expr *> args;
  const Fold *fold; ///< null: called once
};

// --- Statements
struct Stmt {
  enum class Kind : uint8_t { Assign, Unpack, Store, Evaluate, Print, Assert, Prefetch, GridBarrier, If, For, While };
  const Kind kind;
  SourceRange range;

protected:
  Stmt(Kind kind, SourceRange range) : kind(kind), range(range) {}
};

template <Stmt::Kind K> struct StmtNode : Stmt {
  static bool classof(const Stmt *stmt) { return stmt->kind == K; }

protected:
  explicit StmtNode(SourceRange range) : Stmt(K, range) {}
};

using Block = llvm::ArrayRef<Stmt *>;

struct Assign : StmtNode<Stmt::Kind::Assign> {
  Assign(SourceRange range, Variable *variable, Expr *value) : StmtNode(range), variable(variable), value(value) {}
  Variable *variable;
  Expr *value;
};

/// The results of a call with several, in order.
struct Unpack : StmtNode<Stmt::Kind::Unpack> {
  Unpack(SourceRange range, llvm::ArrayRef<Variable *> variables, Call *call)
      : StmtNode(range), variables(variables), call(call) {}
  llvm::ArrayRef<Variable *> variables;
  Call *call;
};

/// Out-of-range elements are not stored.
struct Store : StmtNode<Stmt::Kind::Store> {
  Store(SourceRange range, const Slice *slice, Expr *value) : StmtNode(range), slice(slice), value(value) {}
  const Slice *slice;
  Expr *value; ///< of the slice's type
};

/// A call for its effect.
struct Evaluate : StmtNode<Stmt::Kind::Evaluate> {
  Evaluate(SourceRange range, Expr *value) : StmtNode(range), value(value) {}
  Expr *value;
};

/// `ph.print`: a line for the block, or where there are tiles, which have one shape, a line for each element.
struct Print : StmtNode<Stmt::Kind::Print> {
  Print(SourceRange range, llvm::StringRef text, llvm::ArrayRef<Expr *> values, llvm::ArrayRef<Expr *> block)
      : StmtNode(range), text(text), values(values), block(block) {}
  llvm::StringRef text;          ///< without zero bytes
  llvm::ArrayRef<Expr *> values; ///< in order, scalars and tiles
  llvm::ArrayRef<Expr *> block;  ///< `ph.ctx.block`, x, y and z
};

/// `ph.assert_`: the kernel ends where the condition, or an element of it, is false. Not evaluated where assertions are
/// left out.
struct Assert : StmtNode<Stmt::Kind::Assert> {
  Assert(SourceRange range, Expr *condition, llvm::StringRef message, llvm::ArrayRef<Expr *> block)
      : StmtNode(range), condition(condition), message(message), block(block) {}
  Expr *condition;              ///< bool, a scalar or a tile
  llvm::StringRef message;      ///< without zero bytes; the text of the condition where none was given
  llvm::ArrayRef<Expr *> block; ///< as of Print
};

/// `ph.prefetch`: what of the slice lies inside is brought into L2.
struct Prefetch : StmtNode<Stmt::Kind::Prefetch> {
  Prefetch(SourceRange range, const Slice *slice) : StmtNode(range), slice(slice) {}
  const Slice *slice;
};

/// `ph.grid_barrier`.
struct GridBarrier : StmtNode<Stmt::Kind::GridBarrier> {
  explicit GridBarrier(SourceRange range) : StmtNode(range) {}
};

/// `yields`: variables assigned in an arm and set afterwards; each is set at the end of both arms, there or before.
struct If : StmtNode<Stmt::Kind::If> {
  If(SourceRange range, Expr *condition, Block thenBlock, Block elseBlock, llvm::ArrayRef<Variable *> yields)
      : StmtNode(range), condition(condition), thenBlock(thenBlock), elseBlock(elseBlock), yields(yields) {}
  Expr *condition; ///< scalar bool
  Block thenBlock;
  Block elseBlock;
  llvm::ArrayRef<Variable *> yields;
};

/// `variable` runs from `lower` while less than `upper`; `step` is positive. All have the variable's type, index or
/// i64. `carried`: variables assigned in the body and set before the loop. Other variables of the body are local to a
/// turn.
struct For : StmtNode<Stmt::Kind::For> {
  For(SourceRange range, Variable *variable, Expr *lower, Expr *upper, Expr *step, Block body,
      llvm::ArrayRef<Variable *> carried)
      : StmtNode(range), variable(variable), lower(lower), upper(upper), step(step), body(body), carried(carried) {}
  Variable *variable;
  Expr *lower;
  Expr *upper;
  Expr *step;
  Block body;
  llvm::ArrayRef<Variable *> carried;
};

/// The condition, a scalar bool, reads the carried variables.
struct While : StmtNode<Stmt::Kind::While> {
  While(SourceRange range, Expr *condition, Block body, llvm::ArrayRef<Variable *> carried)
      : StmtNode(range), condition(condition), body(body), carried(carried) {}
  Expr *condition;
  Block body;
  llvm::ArrayRef<Variable *> carried;
};

/// One use of a device function: its body for these argument types, tensors and constants. Equal uses share it.
struct Function {
  llvm::StringRef name;
  SourceRange range;
  llvm::ArrayRef<Variable *> params; ///< only those that are run-time values
  Block body;
  llvm::ArrayRef<Variable *> results; ///< set when the body is done
};

inline unsigned Call::numResults() const { return function->results.size(); }
inline const Type *Call::resultType(unsigned i) const { return fold ? fold->results[i] : function->results[i]->type; }

} // namespace phobos::sema
